package rate

import (
	"context"
	"slices"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// Publications provides the fixings in the groups in which the central bank publishes them.
type Publications interface {
	// Newest returns the last n fixings.
	Newest(ctx context.Context, n int) (Publication, op.Freshness, error)
	// OfYear returns the fixings of a year so far. ErrUnknown means that the bank has published none for that year.
	OfYear(ctx context.Context, year int) (Publication, op.Freshness, error)
}

// Publication is a group of fixings.
type Publication struct {
	// Fixings are in ascending order by day; there is at least one.
	Fixings []Fixing
	// Modified is the retrieval time of the most recent change.
	Modified time.Time
}

const (
	publishedDecimals = 4 // of all 22,889 values examined, 2016 to 2026
	mostZeros         = 6
)

// hundreds are the currencies with rates that the central bank publishes for 100 units (curs.bnr.ro, 2026-08-19).
var hundreds = []ro.Currency{"HUF", "IDR", "ISK", "JPY", "KRW"}

// Published returns the rate as the central bank publishes it: a number with four decimals, and the number of units
// that it is the price of, a power of ten.
func (r Rate) Published() (text string, units int) {
	zeros := 0
	if slices.Contains(hundreds, r.Currency) {
		zeros = 2
	}

	for ; zeros < mostZeros && r.Rate.Shift(-zeros).Round(publishedDecimals).Cmp(r.Rate.Shift(-zeros)) != 0; zeros++ {
	}

	units = 1
	for range zeros {
		units *= 10
	}

	return r.Rate.Shift(-zeros).Fixed(publishedDecimals), units
}
