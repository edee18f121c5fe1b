package bnr

import (
	"context"
	"time"

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// Newest returns the last n fixings. They may be old while the bank is unreachable; the freshness of the answer shows
// that.
func (r *Registry) Newest(ctx context.Context, n int) (rate.Publication, op.Freshness, error) {
	fetched, err := r.gather(ctx, 0, func(a *archive) (int, bool) { return a.lacksNewest(n) })
	if err != nil {
		return rate.Publication{}, op.Freshness{}, err
	}

	r.mu.RLock()
	defer r.mu.RUnlock()
	entries := r.archive.entries
	if len(entries) == 0 {
		return rate.Publication{}, op.Freshness{}, r.checks.reason()
	}

	return r.publication(entries[max(0, len(entries)-n):], 0, fetched)
}

// OfYear returns the fixings of a year so far. It returns op.ErrUnknown for years before 2005, in the future, and
// without a fixing yet.
func (r *Registry) OfYear(ctx context.Context, year int) (rate.Publication, op.Freshness, error) {
	today := r.today()
	if year < firstDay.Year() || year > today.Year() {
		return rate.Publication{}, op.Freshness{}, op.ErrUnknown
	}

	begin, end := max(ro.NewDate(year, time.January, 1), firstDay), ro.NewDate(year, time.December, 31)
	fetched, err := r.gather(ctx, end, func(a *archive) (int, bool) { return a.lacks(span{begin, end}, today) })
	if err != nil {
		return rate.Publication{}, op.Freshness{}, err
	}

	r.mu.RLock()
	defer r.mu.RUnlock()
	if len(r.archive.entries) == 0 {
		return rate.Publication{}, op.Freshness{}, r.checks.reason()
	}

	return r.publication(r.archive.entriesBetween(begin, end), end, fetched)
}

// lacksNewest returns the year of the document that is needed for the last n fixings. It reports false if none is.
func (a *archive) lacksNewest(n int) (year int, lacking bool) {
	from := a.knownFrom(a.newest())
	if !a.knows(a.newest()) || from <= firstDay || len(a.entries)-1-a.last(from-1) >= n {
		return 0, false
	}
	return (from - 1).Year(), true
}

// publication converts entries to an answer about the days up to one (0: the latest). The caller holds the lock.
func (r *Registry) publication(entries []entry, to ro.Date, fetched bool) (rate.Publication, op.Freshness, error) {
	if len(entries) == 0 {
		return rate.Publication{}, op.Freshness{}, op.ErrUnknown
	}

	p := rate.Publication{Fixings: make([]rate.Fixing, len(entries))}
	oldest := r.now()
	for i, e := range entries {
		p.Fixings[i] = e.Fixing
		if e.retrieved.After(p.Modified) {
			p.Modified = e.retrieved
		}
		if e.retrieved.Before(oldest) {
			oldest = e.retrieved
		}
	}

	return p, r.freshness(to, fetched, oldest), nil
}
