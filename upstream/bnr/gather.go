package bnr

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/rodata/rodata/internal/panics"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// patience bounds the time that a call waits for the bank, over all documents that it needs; in LastQuoted, for each
// year.
const patience = 8 * time.Second

// gather fetches the documents that are missing for an answer about the days up to one (0: the latest). If the check
// for the latest fixing is overdue, it makes that check first, and then fetches missing years. It reports whether
// anything was fetched. If the archive can answer, failing to fetch the latest fixing is not an error. The total
// wait is bounded by patience.
func (r *Registry) gather(ctx context.Context, to ro.Date,
	lacks func(*archive) (int, bool)) (fetched bool, err error) {
	deadline := time.Now().Add(patience)
	var failed error
	if r.isOverdue(to) {
		failed = r.once(ctx, deadline, latest, r.check)
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
		err := r.once(ctx, deadline, year, func(ctx context.Context) error { return r.fetchYear(ctx, year) })
		if err != nil {
			return fetched, err
		}

		fetched = true
	}
}

// once waits for the fetch of a document, which is latest or a year, and starts it if it is not in progress. It waits
// until the caller's ctx ends or a deadline passes; the fetch has the values of ctx, such as the trace, but ends with
// the registry at the latest. A panic becomes an error.
func (r *Registry) once(ctx context.Context, deadline time.Time, document int,
	fetch func(context.Context) error) error {
	if r.life.Err() != nil { // there may still be a flight that was cancelled
		return closed()
	}

	flight := r.flights.DoChan(strconv.Itoa(document), func() (_ any, err error) {
		r.flying.RLock()
		defer r.flying.RUnlock()
		if r.life.Err() != nil {
			return nil, closed()
		}

		defer panics.Recover(&err, "fetching fixings")
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(r.life, cancel)()
		return nil, fetch(ctx)
	})

	waiting, stop := context.WithDeadline(ctx, deadline) // the flight reads ctx, so it keeps its value
	defer stop()
	select {
	case result := <-flight:
		return result.Err
	case <-waiting.Done():
	}

	err := fmt.Errorf("waiting for fixings: %w", waiting.Err())
	if errors.Is(err, context.DeadlineExceeded) {
		return &op.Failure{Registry: name, Kind: op.TimedOut, Err: err}
	}

	return err
}

// latest is the latest fixing as a document.
const latest = 0

func closed() error {
	return &op.Failure{Registry: name, Kind: op.Closed, Err: errors.New("the archive is closed")}
}

// isOverdue reports whether an answer about the days up to one must wait for a check. It must if a new fixing could
// change the answer, the check is late, and no backoff is in force.
func (r *Registry) isOverdue(to ro.Date) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.archive.knows(to) {
		return false
	}
	if newest := r.archive.newest(); to != 0 && to < newest {
		return false
	}

	now := r.now()
	return now.After(r.due(now).Add(checkMayRun)) && !r.checks.isBackingOff(now)
}

// check fetches the latest fixing. If there may be a gap before it, check also fetches the last ten.
func (r *Registry) check(ctx context.Context) error {
	r.mu.RLock()
	before := r.archive.newest()
	r.mu.RUnlock()
	ed, err := r.fetch(ctx, dayPaper)
	if err != nil {
		if ctx.Err() == nil { // otherwise the registry is closing
			r.checkFailed(err)
		}
		return err
	}

	r.add(dayPaper, ed)
	if r.mayLack(before) {
		if err := r.fetchTenDays(ctx); err != nil { // not fatal: the year's document will close the gap
			r.o.Logger.Warn("fetching the last ten fixings failed", "registry", name, "error", err)
		}
	}

	return nil
}

// mayLack reports whether fixings may be missing between the former newest one and the current one: some day in between
// is not known.
func (r *Registry) mayLack(before ro.Date) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return before < r.archive.knownFrom(r.archive.newest())
}

func (r *Registry) fetchTenDays(ctx context.Context) error {
	ed, err := r.fetch(ctx, tenDaysPaper)
	if err == nil {
		r.add(tenDaysPaper, ed)
	}
	return err
}

// fetchYear fetches the document of a year. The current year's document may be absent or lag behind; the last ten
// fixings close that gap.
func (r *Registry) fetchYear(ctx context.Context, year int) error {
	ed, err := r.fetch(ctx, yearPaper(year))
	if err != nil {
		return err
	}
	if !ed.absent {
		r.add(yearPaper(year), ed)
	}

	switch current := r.today().Year(); {
	case year == current && r.lacksSome(year):
		return r.fetchTenDays(ctx)
	case ed.absent && year != current:
		return broken("the bank has no document of the year %d", year)
	}

	return nil
}

// lacksSome reports whether days of a year up to the newest fixing are unknown.
func (r *Registry) lacksSome(year int) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.archive.lacksSome(year)
}
