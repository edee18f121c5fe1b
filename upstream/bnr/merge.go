package bnr

import (
	"fmt"
	"slices"
	"time"

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/ro"
)

// correctable is the number of newest fixings that the bank may still correct. They are in its ten-day document. Older
// ones never change.
const correctable = 10

// mergeResult is the outcome of merging a document into the archive.
type mergeResult struct {
	changed   map[int]bool // years
	corrected []ro.Date    // among the newest ten
	rejected  []ro.Date    // older fixings that differ; the stored ones stay
}

// merge adds fixings, which must be in ascending order. Among stored fixings, it overwrites only the newest ten.
func (a *archive) merge(fixings []rate.Fixing, now time.Time) mergeResult {
	m := mergeResult{changed: map[int]bool{}}
	merged := slices.Clone(a.entries)
	var differing []rate.Fixing
	for _, f := range fixings {
		i := a.last(f.Date)
		if i < 0 || a.entries[i].Date != f.Date {
			merged = append(merged, entry{f, now})
			m.changed[f.Date.Year()] = true
		} else if !equalRates(a.entries[i].Rates, f.Rates) {
			differing = append(differing, f)
		}
	}

	slices.SortFunc(merged, func(a, b entry) int { return int(a.Date - b.Date) })
	a.entries = merged
	for _, f := range differing {
		i := a.last(f.Date)
		if i < len(a.entries)-correctable {
			m.rejected = append(m.rejected, f.Date)
			continue
		}

		a.entries[i] = entry{f, now}
		m.corrected = append(m.corrected, f.Date)
		m.changed[f.Date.Year()] = true
	}

	return m
}

func equalRates(a, b []rate.Rate) bool {
	return slices.EqualFunc(a, b, func(a, b rate.Rate) bool {
		return a.Currency == b.Currency && a.Rate.Cmp(b.Rate) == 0
	})
}

// comparableDays is the largest gap between two fixings at which a jump counts as implausible.
const comparableDays = 31

// plausible rejects fixings if a currency changes by more than a factor from the previous fixing, in the document or in
// the archive.
func (a *archive) plausible(fixings []rate.Fixing, factor ro.Decimal) error {
	var before rate.Fixing
	if i := a.last(fixings[0].Date - 1); i >= 0 {
		before = a.entries[i].Fixing
	}

	for _, f := range fixings {
		if f.Date-before.Date <= comparableDays {
			if err := plausibleStep(before, f, factor); err != nil {
				return err
			}
		}

		before = f
	}

	return nil
}

func plausibleStep(before, after rate.Fixing, factor ro.Decimal) error {
	for _, r := range after.Rates {
		old, ok := rateOf(before, r.Currency)
		if !ok {
			continue
		}
		if r.Rate.Cmp(old.Times(factor)) > 0 || r.Rate.Times(factor).Cmp(old) < 0 {
			return fmt.Errorf("implausible: %s is %s RON on %s after %s on %s",
				r.Currency, r.Rate, after.Date, old, before.Date)
		}
	}

	return nil
}
