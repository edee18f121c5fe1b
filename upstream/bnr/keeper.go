package bnr

import (
	"context"
	"time"

	"github.com/rodata/rodata/internal/work"
)

const (
	// wake is the interval at which the keeper checks the wall clock, because timers do not follow its jumps.
	wake = 30 * time.Second
	// yearRetry is the pause before a failed document of a year is fetched again.
	yearRetry = 10 * time.Minute
	// maxFlight bounds the wait for a flight. It is only a safeguard, because flights have shorter deadlines of their
	// own.
	maxFlight = time.Hour
	// saveRetry is the pause before a failed write is retried. Together with wake it is at most a minute.
	saveRetry = 30 * time.Second
)

// Run keeps the archive up to date until ctx ends. It queries the bank immediately and then on schedule, and in between
// fetches missing years, newest first. The caller starts it once, in a goroutine.
func (r *Registry) Run(ctx context.Context) {
	k := keeper{Registry: r, failed: map[int]time.Time{}}
	work.Repeat(ctx, nil, k.step)
}

// keeper is the state of one Run.
type keeper struct {
	*Registry
	started bool
	saved   time.Time // the last attempt to write unsaved years
	fillAt  time.Time
	failed  map[int]time.Time // the time at which a year's document failed
}

// step performs due work and returns the time to sleep.
func (k *keeper) step(ctx context.Context) time.Duration {
	k.saveAgain(k.now())
	if now := k.now(); !k.started || !now.Before(k.checkAt(now)) {
		k.started = true
		k.once(ctx, time.Now().Add(maxFlight), latest, k.check)
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

// saveAgain retries failed writes; usually there are none.
func (k *keeper) saveAgain(now time.Time) {
	if now.Sub(k.saved).Abs() >= saveRetry {
		k.saved = now
		k.store()
	}
}

// checkAt returns the time of the next check.
func (k *keeper) checkAt(now time.Time) time.Time {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if k.checks.isBackingOff(now) {
		return k.checks.retryAt
	}
	if k.checks.failures > 0 {
		return now
	}

	return k.due(now)
}

// missingYear returns the newest incomplete year, skipping years that just failed. It reports false while the bank is
// unreachable.
func (k *keeper) missingYear(now time.Time) (int, bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if k.checks.failures > 0 || len(k.archive.entries) == 0 {
		return 0, false
	}

	for year := k.archive.newest().Year(); year >= firstDay.Year(); year-- {
		if !k.archive.lacksSome(year) {
			continue
		}
		if at, failed := k.failed[year]; !failed || now.Sub(at).Abs() >= yearRetry {
			return year, true
		}
	}

	return 0, false
}

func (k *keeper) fill(ctx context.Context, year int) {
	err := k.once(ctx, time.Now().Add(maxFlight), year,
		func(ctx context.Context) error { return k.fetchYear(ctx, year) })
	failed := err != nil && ctx.Err() == nil
	if failed {
		k.o.Logger.Warn("fetching a year of fixings failed", "registry", name, "year", year, "error", err)
	}

	if failed || k.lacksSome(year) { // a valid document may not have those days yet
		k.failed[year] = k.now()
	} else {
		delete(k.failed, year)
	}
}
