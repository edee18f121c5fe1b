package bnr

import (
	"context"
	"time"

	"github.com/rodata/rodata/api"
)

const (
	// wake is how often the keeper looks at the wall clock: timers do not follow
	// its jumps.
	wake = 30 * time.Second
	// yearRest is how long a year whose document failed is passed over.
	yearRest = 10 * time.Minute
	// saveRest is how long a disk that could not be written is left alone. With
	// wake that makes less than a minute.
	saveRest = 30 * time.Second
)

// Run keeps the archive up to date until the context ends: it asks the bank at
// once and then on its schedule, and in between fetches the past years that are
// missing, the newest first. The caller starts it once, in a goroutine.
func (r *Registry) Run(ctx context.Context) {
	k := keeper{Registry: r, failed: map[int]time.Time{}}
	for next := time.Duration(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(next):
		}
		next = k.step(ctx)
	}
}

// keeper is the state of one Run.
type keeper struct {
	*Registry
	started bool
	saved   time.Time // when it was last tried to write what was left
	fillAt  time.Time
	failed  map[int]time.Time // years whose document failed, and when
}

// step does what is due and returns how long there is nothing to do.
func (k *keeper) step(ctx context.Context) time.Duration {
	k.saveAgain(k.now())
	if now := k.now(); !k.started || !now.Before(k.checkAt(now)) {
		k.started = true
		k.land(ctx, k.flights.join(ctx, latest, k.check))
	}
	now := k.now()
	next := k.checkAt(now).Sub(now)
	if year, missing := k.missingYear(now); missing {
		if wait := k.fillAt.Sub(now); wait > 0 && wait <= k.o.FillEvery {
			return min(next, wait, wake)
		}
		k.fill(ctx, year)
		k.fillAt = k.now().Add(k.o.FillEvery)
		next = min(next, k.o.FillEvery)
	}
	return max(min(next, wake), 0)
}

// saveAgain writes what could not be written when it was fetched; mostly there is
// nothing.
func (k *keeper) saveAgain(now time.Time) {
	if now.Sub(k.saved).Abs() >= saveRest {
		k.saved = now
		k.store()
	}
}

// land waits for a flight to its end: it has deadlines of its own.
func (k *keeper) land(ctx context.Context, f *flight) error {
	select {
	case <-f.landed:
		return f.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// checkAt is when the next check may be made.
func (k *keeper) checkAt(now time.Time) time.Time {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if k.checks.resting(now) {
		return k.checks.retryAt
	}
	if k.checks.failures > 0 {
		return now
	}
	return k.due(now)
}

// missingYear is the newest year that is not complete, unless the bank is out of
// reach or the year has just failed.
func (k *keeper) missingYear(now time.Time) (int, bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if k.checks.failures > 0 || len(k.archive.entries) == 0 {
		return 0, false
	}
	newest := k.archive.newest()
	for year := newest.Year(); year >= firstDay.Year(); year-- {
		begin, end := api.NewDate(year, time.January, 1), api.NewDate(year, time.December, 31)
		if _, lacking := k.archive.lacks(span{begin, min(end, newest)}, newest+1); !lacking {
			continue
		}
		if at, failed := k.failed[year]; !failed || now.Sub(at).Abs() >= yearRest {
			return year, true
		}
	}
	return 0, false
}

func (k *keeper) fill(ctx context.Context, year int) {
	err := k.land(ctx, k.flights.join(ctx, year, func(ctx context.Context) error { return k.fetchYear(ctx, year) }))
	if err != nil && ctx.Err() == nil {
		k.o.Logger.Warn("fetching a year of fixings failed", "registry", name, "year", year, "error", err)
		k.failed[year] = k.now()
		return
	}
	if k.lacksSome(year) { // without an error: its document does not have it yet
		k.failed[year] = k.now()
		return
	}
	delete(k.failed, year)
}
