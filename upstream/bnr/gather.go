package bnr

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rodata/rodata/api"
)

// gather fetches what an answer about days up to one (0: the latest) needs and
// the archive lacks: the latest fixing when its check is overdue, then years. It
// reports whether anything was fetched. A latest fixing that could not be
// fetched is no error as long as the archive has an answer. All waiting together
// ends with our patience.
func (r *Registry) gather(ctx context.Context, to api.Date, lacks func(*archive) (int, bool)) (fetched bool, err error) {
	deadline := time.Now().Add(r.o.Patience)
	var failed error
	if r.overdue(to) {
		failed = r.await(ctx, deadline, r.flights.join(ctx, latest, r.check))
		fetched = failed == nil
	}
	for before := 0; ; {
		r.mu.RLock()
		year, lacking := lacks(&r.archive)
		r.mu.RUnlock()
		switch {
		case !lacking:
			return fetched, nil
		case failed != nil:
			return fetched, failed
		case year == before:
			return fetched, broken("the bank's documents do not have all days of %d up to the one asked for", year)
		}
		before = year
		err := r.await(ctx, deadline, r.flights.join(ctx, year, func(ctx context.Context) error { return r.fetchYear(ctx, year) }))
		if err != nil {
			return fetched, err
		}
		fetched = true
	}
}

// await waits for a flight, but not longer than the caller or until a deadline.
func (r *Registry) await(ctx context.Context, deadline time.Time, f *flight) error {
	ctx, stop := context.WithDeadline(ctx, deadline)
	defer stop()
	select {
	case <-f.landed:
		return f.err
	case <-ctx.Done():
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &api.Failure{Registry: name, Kind: api.TimedOut, Err: fmt.Errorf("waiting for fixings: %w", ctx.Err())}
	}
	return fmt.Errorf("waiting for fixings: %w", ctx.Err())
}

// overdue says whether an answer about days up to one must wait for a check:
// because a new fixing could change it, the check is late and the bank is not
// being left alone.
func (r *Registry) overdue(to api.Date) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if _, known := r.archive.spanOf(to); known {
		return false
	}
	if newest := r.archive.newest(); to != 0 && to < newest {
		return false
	}
	now := r.now()
	return now.After(r.due(now).Add(checkMayRun)) && !r.checks.resting(now)
}

// check asks the bank for its latest fixing. When days may be missing before it,
// the last ten are fetched as well.
func (r *Registry) check(ctx context.Context) error {
	r.mu.RLock()
	before := r.archive.newest()
	r.mu.RUnlock()
	ed, err := r.fetch(ctx, dayPaper)
	if err != nil {
		if ctx.Err() == nil { // else it is we who stopped
			r.checkFailed(err)
		}
		return err
	}
	r.record(dayPaper, ed)
	if r.mayLack(before) {
		err := r.fetchTenDays(ctx)
		if err != nil { // the latest is there; the year's document will close the gap
			r.o.Logger.Warn("fetching the last ten fixings failed", "registry", name, "error", err)
		}
	}
	return nil
}

// mayLack says whether there may be fixings between the one that was the newest
// and the one that is now: not when all days between are known.
func (r *Registry) mayLack(before api.Date) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	s, _ := r.archive.spanOf(r.archive.newest())
	return before < s.from
}

func (r *Registry) fetchTenDays(ctx context.Context) error {
	ed, err := r.fetch(ctx, tenDaysPaper)
	if err == nil {
		r.record(tenDaysPaper, ed)
	}
	return err
}

// fetchYear fetches the document of a year. The current year's may be missing or
// lag behind; what it lacks is sought among the last ten fixings.
func (r *Registry) fetchYear(ctx context.Context, year int) error {
	ed, err := r.fetch(ctx, yearPaper(year))
	if err != nil {
		return err
	}
	if !ed.absent {
		r.record(yearPaper(year), ed)
	}
	switch current := r.today().Year(); {
	case year == current && r.lacksSome(year):
		return r.fetchTenDays(ctx)
	case ed.absent && year != current:
		return broken("the bank has no document of the year %d", year)
	}
	return nil
}

// lacksSome says whether days of a year before the newest fixing are unknown.
func (r *Registry) lacksSome(year int) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	begin, end := api.NewDate(year, time.January, 1), api.NewDate(year, time.December, 31)
	newest := r.archive.newest()
	_, lacking := r.archive.lacks(span{begin, min(end, newest)}, newest+1)
	return lacking || newest == 0
}
