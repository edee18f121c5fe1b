package vies

import (
	"context"
	"sync"
	"time"

	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
)

const (
	// pollEvery is the interval between polls.
	pollEvery = 5 * time.Minute
	// pollAgain is the interval after a failed poll.
	pollAgain = time.Minute
	// reportLifetime is the lifetime of a report.
	reportLifetime = 3 * pollEvery
)

// poller polls VIES for its report on itself and on the member states.
type poller struct {
	fetch   func(context.Context, struct{}) (Availability, error)
	breaker *upstream.Breaker

	mu         sync.Mutex
	report     Availability
	reportedAt time.Time
	failing    bool
}

func newPoller(o Options) poller {
	fetch := func(ctx context.Context, _ struct{}) (Availability, error) { return o.Client.Availability(ctx) }
	b := upstream.NewBreaker(Name, o.Breaker)
	return poller{fetch: upstream.Guard(b, fetch), breaker: b}
}

// Run polls VIES for its report every five minutes, until the context ends.
func (l *Lanes) Run(ctx context.Context) {
	work.Repeat(ctx, nil, l.status.poll)
}

// poll polls once, and returns the pause until the next poll.
func (p *poller) poll(ctx context.Context) time.Duration {
	report, err := p.fetch(ctx, struct{}{})
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failing = err != nil; p.failing {
		return pollAgain
	}

	p.report, p.reportedAt = report, time.Now()
	return pollEvery
}

// Status is the state of VIES and of the registers behind it.
type Status struct {
	// Down is true if VIES calls itself unavailable, does not answer at all, or if the breakers of all recently queried
	// states, at least two, are open.
	Down bool
	// Breaker is the breaker of VIES itself. It is also open if the breakers of all recently queried states are open.
	Breaker upstream.BreakerState
	// LastSuccess is the time of the last answer of VIES, or of a state through VIES. It is zero if there was none.
	LastSuccess time.Time
	// States are all member states, in the order of their codes.
	States []StateStatus
}

// StateStatus is the state of a member state's register.
type StateStatus struct {
	State ro.MemberState
	// Known reports whether VIES has reported the state's availability, or the state was queried.
	Known bool
	// Down is true if VIES calls the state unavailable, or if its breaker is open.
	Down bool
	// Breaker is open after failures, while the state is not queried.
	Breaker upstream.BreakerState
}

// Status returns the state of VIES.
func (l *Lanes) Status() Status {
	l.status.mu.Lock()
	report, reportedAt, failing := l.status.report, l.status.reportedAt, l.status.failing
	l.status.mu.Unlock()
	current := time.Since(reportedAt) < reportLifetime

	s := Status{Breaker: l.status.breaker.State(), LastSuccess: l.status.breaker.LastSuccess()}
	s.Down = current && !report.VIES || !current && failing
	asked, open := 0, 0
	for _, state := range ro.MemberStates {
		lane := l.of[state]
		last := lane.breaker.LastSuccess()
		if last.After(s.LastSuccess) {
			s.LastSuccess = last
		}

		available, named := report.States[state]
		one := StateStatus{State: state, Breaker: lane.breaker.State(), Known: current && named || !last.IsZero()}
		one.Down = current && named && !available || one.Breaker == upstream.BreakerOpen
		one.Known = one.Known || one.Down
		s.States = append(s.States, one)

		if lane.queriedWithin(reportLifetime) {
			asked++
			if one.Breaker != upstream.BreakerClosed { // half open: the next question is a probe
				open++
			}
		}
	}

	if asked >= 2 && open == asked { // a single failing state is not evidence about VIES
		s.Down, s.Breaker = true, upstream.BreakerOpen
	}

	return s
}
