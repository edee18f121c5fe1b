// Package metering limits callers: the catalogue of plans, rate limits, the daily allowances of anonymous callers, and
// each account's monthly credits.
package metering
