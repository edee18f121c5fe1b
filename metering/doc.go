// Package metering says how much a caller may do: the catalogue of plans, and a
// token bucket for each caller.
package metering
