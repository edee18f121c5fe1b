package bnr

import (
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
)

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
