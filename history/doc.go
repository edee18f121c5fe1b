// Package history answers what was true of a company on a day, and what could be known of
// it on another: valid time and transaction time. The tax authority records cancellations
// weeks after the day from which they count, so the two differ.
//
// Ends are exclusive: the tax authority's end of a VAT registration is the first day without
// it (in a record of 2024-12-12 it equals the day of the inactivation that caused it).
//
// An [Observation] has both times, and neither is ever edited: what turns out to be different later is another
// observation. Package store keeps them.
package history
