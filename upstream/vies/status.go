package vies

import (
	"context"
	"sync"
	"time"

	"github.com/rodata/rodata/internal/vatid"
	"github.com/rodata/rodata/upstream"
)

const (
	// lookEvery is the interval between requests for VIES's own state.
	lookEvery = 5 * time.Minute
	// lookAgain is the interval after a request that failed.
	lookAgain = time.Minute
	// lookLasts is the lifetime of VIES's report.
	lookLasts = 3 * lookEvery
)

// keeper polls VIES for its own state.
type keeper struct {
	look func(context.Context, struct{}) (Availability, error)
	gate *upstream.Breaker

	mu         sync.Mutex
	report     Availability
	reportedAt time.Time
	failing    bool
}

func newKeeper(o Options) keeper {
	gate := upstream.NewBreaker(Name, o.Breaker)
	return keeper{gate: gate, look: upstream.Guard(gate, func(ctx context.Context, _ struct{}) (Availability, error) {
		return o.Client.Availability(ctx)
	})}
}

// Run asks VIES about its own state every five minutes, until the context ends.
func (l *Lanes) Run(ctx context.Context) {
	for {
		pause := l.status.ask(ctx)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

// ask polls once, and returns the pause until the next poll.
func (k *keeper) ask(ctx context.Context) time.Duration {
	report, err := k.look(ctx, struct{}{})
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failing = err != nil; k.failing {
		return lookAgain
	}

	k.report, k.reportedAt = report, time.Now()
	return lookEvery
}

// Status is the state of VIES and of the registers behind it.
type Status struct {
	// Down is true if VIES calls itself unavailable, does not answer at all, or if the breakers of all recently asked
	// states, at least two, are open.
	Down bool
	// Breaker is the breaker of VIES itself. It is also open if the breakers of all recently asked states are open.
	Breaker upstream.BreakerState
	// LastSuccess is the time of the last answer of VIES, or of a state through VIES. It is zero if there was none.
	LastSuccess time.Time
	// States are all member states, in the order of their codes.
	States []StateStatus
}

// StateStatus is the state of a member state's register.
type StateStatus struct {
	State vatid.State
	// Known reports whether VIES has reported the state's availability, or the state was asked.
	Known bool
	// Down is true if VIES calls the state unavailable, or if its breaker is open.
	Down bool
	// Breaker is open after failures, while the state is not asked.
	Breaker upstream.BreakerState
}

// Status returns the state of VIES.
func (l *Lanes) Status() Status {
	l.status.mu.Lock()
	report, reportedAt, failing := l.status.report, l.status.reportedAt, l.status.failing
	l.status.mu.Unlock()
	current := time.Since(reportedAt) < lookLasts

	s := Status{Breaker: l.status.gate.State(), LastSuccess: l.status.gate.LastSuccess()}
	s.Down = current && !report.VIES || !current && failing
	asked, open := 0, 0
	for _, state := range vatid.States {
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

		if lane.askedWithin(lookLasts) {
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
