package vatcollection

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/rodata/rodata/internal/work"
)

const (
	// wakeEvery is the interval at which Run looks at the wall clock, because timers do not follow its jumps.
	wakeEvery = 30 * time.Second
	// checkEvery and checkJitter determine the interval between checks, so that there are at most four a day.
	checkEvery  = 6 * time.Hour
	checkJitter = time.Hour
	// firstRetry and lastRetry bound the exponential backoff after failures.
	firstRetry = 5 * time.Minute
	lastRetry  = checkEvery
)

// Run keeps the register up to date until ctx ends. The caller starts it once, in a goroutine.
func (r *Register) Run(ctx context.Context) {
	// A restart of the process does not make the next check earlier. Without a stored register, it is due at once.
	next := r.Retrieved().Add(checkEvery + rand.N(checkJitter))
	work.Repeat(ctx, nil, func(ctx context.Context) time.Duration {
		now := r.now()
		if !now.Before(next) || next.Sub(now) > checkEvery+checkJitter { // or the clock was set back
			next = r.now().Add(r.check(ctx))
		}

		return min(max(next.Sub(r.now()), 0), wakeEvery)
	})
}

// check fetches the newest file. It returns the time until the next check.
func (r *Register) check(ctx context.Context) time.Duration {
	t, err := r.newest(ctx)
	if ctx.Err() != nil { // not a failure of the server
		return firstRetry
	}

	if err == nil && t != nil {
		r.held.Store(t)
		if err := t.save(r.path); err != nil {
			r.o.Logger.Error("storing the register of VAT on collection failed; it is served from memory",
				"registry", Name, "error", err)
		}

		r.o.Logger.Info("the register of VAT on collection is up to date", "registry", Name, "day", t.day,
			"lines", len(t.rows))
	}

	return r.note(err)
}

// note records the outcome of a check. It returns the time until the next one.
func (r *Register) note(err error) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.checked, r.failures, r.err = r.now(), 0, nil
		return checkEvery + rand.N(checkJitter)
	}

	if r.err == nil || r.err.Error() != err.Error() { // log a repeated failure only once
		consequence := "the previous one is still served"
		if r.Day() == 0 {
			consequence = "none is served yet"
		}

		r.o.Logger.Error("fetching the register of VAT on collection failed; "+consequence, "registry", Name, "error", err)
	}

	r.err = err
	r.failures++
	if errors.Is(err, errRefused) { // there is no other file before tomorrow
		return lastRetry
	}

	return min(firstRetry<<min(r.failures-1, 10), lastRetry)
}
