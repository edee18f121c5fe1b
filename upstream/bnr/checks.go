package bnr

import (
	"errors"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
)

// checks is the state of the checks for the latest fixing.
type checks struct {
	lastSuccess time.Time           // time of the last successful check
	lastFixing  ro.Date             // that it found
	validators  upstream.Validators // of its edition
	failures    int                 // consecutive, since then
	retryAt     time.Time           // no check before this time
	err         error               // of the last check, nil if it succeeded
}

func (c *checks) recordSuccess(now time.Time, ed edition) {
	c.lastSuccess, c.validators = now, ed.validators
	c.failures, c.retryAt, c.err = 0, time.Time{}, nil
	if n := len(ed.fixings); n > 0 {
		c.lastFixing = ed.fixings[n-1].Date
	}
}

// isBackingOff reports whether no check may be made yet after a failure. It ignores a pause longer than the maximum,
// because that means that the clock was set back.
func (c *checks) isBackingOff(now time.Time) bool {
	return now.Before(c.retryAt) && c.retryAt.Sub(now) <= maxRetry
}

// reason returns the reason why there is no fixing at all.
func (c *checks) reason() error {
	if c.err != nil {
		return c.err
	}
	return &op.Failure{Registry: name, Kind: op.Closed, Err: errors.New("no fixing has been fetched yet")}
}

func (r *Registry) checkFailed(err error) {
	r.mu.Lock()
	news := r.checks.err == nil || r.checks.err.Error() != err.Error()
	r.checks.err = err
	r.checks.failures++
	r.checks.retryAt = nextRetry(r.now(), r.checks.failures, r.archive.newest(), r.jitter)
	r.mu.Unlock()
	if news { // the failure may repeat every half minute, but is logged only once
		r.o.Logger.Warn("checking for the latest fixing failed", "registry", name, "error", err)
	}
}

// due returns the time of the next check. It is zero if there has been no check yet. If the last check is in the
// future, the clock was set back, and a check is due immediately. The caller holds the lock.
func (r *Registry) due(now time.Time) time.Time {
	switch last := r.checks.lastSuccess; {
	case last.IsZero():
		return time.Time{}
	case last.After(now):
		return now
	default:
		return nextCheck(last, r.archive.newest(), r.jitter)
	}
}

// Status is the state of the archive.
type Status struct {
	// LastSuccess is the time of the last successful check for the latest fixing. If there was none, it is the
	// retrieval time of the newest stored fixing, or zero.
	LastSuccess time.Time
	// Failed is true if all checks since LastSuccess have failed.
	Failed bool
	// AsOf is the day of the latest fixing, 0 if there is none.
	AsOf ro.Date
	// MissedPublications counts the fixings after AsOf that should have been published according to the bank's
	// calendar. A fixing counts as missed at 15:00 in Bucharest.
	MissedPublications int
	// Breaker is the state of the bank's breaker.
	Breaker upstream.BreakerState
}

// Status returns the current state. If there is no fixing at all, no publication counts as missed.
func (r *Registry) Status() Status {
	r.mu.RLock()
	defer r.mu.RUnlock()
	s := Status{
		LastSuccess: r.checks.lastSuccess, Failed: r.checks.failures > 0,
		AsOf: r.archive.newest(), Breaker: r.breaker.State(),
	}
	if s.AsOf != 0 {
		s.MissedPublications = countMissed(s.AsOf, r.now())
	}

	return s
}
