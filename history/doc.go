// Package history answers bitemporal questions: what was true of a company on a day (valid time), and what was known on
// another day (transaction time). The tax authority records cancellations weeks after their effective day, so the two
// times differ.
//
// Ends are exclusive: the tax authority's end of a VAT registration is the first day without it (in a record of
// 2024-12-12 it equals the day of the inactivation that caused it).
//
// An [Observation] has both times, and neither ever changes: a correction is another observation. Package store keeps
// the observations.
package history
