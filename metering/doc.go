// Package metering says how much a caller may do: the catalogue of plans, a token
// bucket for each caller, and the credits of each account's month.
package metering
