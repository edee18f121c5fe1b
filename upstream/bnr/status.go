package bnr

import (
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream"
)

// Status is the state of the archive.
type Status struct {
	// LastSuccess is when the bank was last asked for its latest fixing and
	// answered, or gave the newest one that is stored; zero when never.
	LastSuccess time.Time
	// Failed says that the bank was asked since, and gave no fixings.
	Failed bool
	// AsOf is the day of the latest fixing, 0 when there is none.
	AsOf api.Date
	// MissedPublications counts the days after AsOf whose fixing should be there
	// by now: by the bank's calendar, from 15:00 in Bucharest on.
	MissedPublications int
	// Breaker is the state of the bank's breaker.
	Breaker upstream.BreakerState
}

// Status is the state of the archive at this moment. Without any fixing no
// publication counts as missed.
func (r *Registry) Status() Status {
	r.mu.RLock()
	defer r.mu.RUnlock()
	s := Status{LastSuccess: r.checks.asked, Failed: r.checks.failures > 0, AsOf: r.archive.newest(), Breaker: r.breaker.State()}
	if s.AsOf != 0 {
		s.MissedPublications = missed(s.AsOf, r.now())
	}
	return s
}
