package onrc

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/rodata/rodata/internal/work"
)

const (
	// wake is the interval at which the keeper checks the wall clock, and the directory for an index loaded by another
	// process.
	wake = 30 * time.Second
	// checkEvery is the interval between checks for a new release. A release appears about once a month, on no fixed
	// day.
	checkEvery = 24 * time.Hour
	// firstRetry and lastRetry bound the exponential backoff after failures.
	firstRetry = 5 * time.Minute
	lastRetry  = 6 * time.Hour
)

// Run keeps the register up to date until the context ends: it serves the index on disk at once, checks for a new
// release every day, installs or loads it beside the served index, switches over, and publishes. The caller starts it
// once, in a goroutine.
func (r *Register) Run(ctx context.Context) {
	var checkAt time.Time
	work.Repeat(ctx, nil, func(ctx context.Context) time.Duration {
		r.refresh()
		if (r.o.Portal != nil || r.o.Source != nil) && !r.o.Now().Before(checkAt) {
			wait := r.update(ctx)
			checkAt = r.o.Now().Add(wait) // counted from the end of the update, which may take an hour
		}

		r.publishServed(ctx)
		if r.keepStatements(ctx) {
			return 0
		}

		return wake
	})
}

// update checks for a release and installs or loads it if it is new. It returns the time until the next check.
func (r *Register) update(ctx context.Context) time.Duration {
	if r.o.Source != nil {
		err := r.install(ctx)
		if !r.recordInstall(ctx, err) {
			return r.recordCheck(ctx, err)
		}

		r.o.Logger.Warn("the published index of the trade register is not available; this gateway loads releases itself",
			"registry", name, "error", err)
	}

	return r.recordCheck(ctx, r.loadNewest(ctx))
}

// loadNewest loads the portal's newest release if it is new.
func (r *Register) loadNewest(ctx context.Context) error {
	o := Options{Portal: r.o.Portal, Dir: r.o.Dir, Statements: r.o.Statements, Progress: r.recordProgress}
	found, err := o.release(ctx)
	if err != nil || !found.follows(r.summary()) {
		return err
	}

	if before := lastRefusal(r.o.Dir); before.Origin == found.origin() {
		return fmt.Errorf("%w before and not fetched again: %s", ErrRefused, before.Reason)
	}

	r.o.Logger.Info("loading a release of the trade register", "registry", name, "release", found.date)
	s, err := o.load(ctx, found)
	debug.FreeOSMemory() // loading needs far more memory than serving
	if err != nil {
		return err
	}

	r.o.Logger.Info("the trade register is loaded", "registry", name, "release", s.Release, "companies", s.Companies,
		"took", s.Took, "dropped", s.Dropped, "warnings", s.Warnings)
	r.refresh()
	return nil
}

// recordCheck records the outcome of a check. It returns the time until the next one.
func (r *Register) recordCheck(ctx context.Context, err error) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()

	r.status.Loading = false
	switch {
	case ctx.Err() != nil || errors.Is(err, ErrBusy):
		return firstRetry
	case err == nil || errors.Is(err, ErrCurrent):
		r.status.Checked, r.status.Err, r.status.Failures = r.o.Now(), nil, 0
		return checkEvery + rand.N(time.Hour)
	}

	r.status.Err = err
	r.status.Failures++
	wait := min(firstRetry<<min(r.status.Failures-1, 10), lastRetry)
	switch {
	case errors.Is(err, ErrRefused):
		wait = checkEvery
	case errors.Is(err, errUnusable): // another check may download the archive again
		wait = lastRetry
	}

	consequence := "the previous release is still served"
	if r.DataThrough() == 0 {
		consequence = "none is served yet"
	}

	r.o.Logger.Error("loading the trade register failed; "+consequence, "registry", name, "error", err, "retry", wait)
	return wait
}

// recordProgress records the progress of a load.
func (r *Register) recordProgress(p Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()

	r.status.Loading, r.status.Progress = true, p
}
