package vies

import (
	"context"
	"sync"
	"time"

	"github.com/rodata/rodata/internal/vatid"
	"github.com/rodata/rodata/upstream"
)

const (
	// lookEvery is how often VIES is asked about its own state.
	lookEvery = 5 * time.Minute
	// lookAgain is how soon it is asked again when it did not say.
	lookAgain = time.Minute
	// lookLasts is for how long what it said counts.
	lookLasts = 3 * lookEvery
)

// keeper asks VIES about its own state from time to time.
type keeper struct {
	look func(context.Context, struct{}) (Availability, error)
	gate *upstream.Breaker

	mu      sync.Mutex
	said    Availability
	saidAt  time.Time
	failing bool
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

// ask asks once, and returns the pause until the next time.
func (k *keeper) ask(ctx context.Context) time.Duration {
	said, err := k.look(ctx, struct{}{})
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failing = err != nil; k.failing {
		return lookAgain
	}
	k.said, k.saidAt = said, time.Now()
	return lookEvery
}

// Status is the state of VIES and of the registers behind it.
type Status struct {
	// Down reports that VIES says it is not available, or does not answer at all, or that all states which were asked
	// lately, two at least, are left alone after failures.
	Down bool
	// Breaker is the breaker of VIES itself, open also when those of all states are that were asked lately.
	Breaker upstream.BreakerState
	// LastSuccess is when VIES, or a state through it, last answered; zero if never.
	LastSuccess time.Time
	// States are all member states, in the order of their codes.
	States []StateStatus
}

// StateStatus is the state of a member state's register.
type StateStatus struct {
	State vatid.State
	// Known reports whether anything is known of it: VIES said whether it is available, or it was asked.
	Known bool
	// Down reports that VIES says it is not available, or that it is left alone after failures.
	Down bool
	// Breaker is open while the state is left alone after failures.
	Breaker upstream.BreakerState
}

// Status returns the state of VIES.
func (l *Lanes) Status() Status {
	l.status.mu.Lock()
	said, saidAt, failing := l.status.said, l.status.saidAt, l.status.failing
	l.status.mu.Unlock()
	current := time.Since(saidAt) < lookLasts

	s := Status{Breaker: l.status.gate.State(), LastSuccess: l.status.gate.LastSuccess()}
	s.Down = current && !said.VIES || !current && failing
	lately, open := 0, 0
	for _, state := range vatid.States {
		lane := l.of[state]
		last := lane.breaker.LastSuccess()
		if last.After(s.LastSuccess) {
			s.LastSuccess = last
		}
		available, named := said.States[state]
		one := StateStatus{State: state, Breaker: lane.breaker.State(), Known: current && named || !last.IsZero()}
		one.Down = current && named && !available || one.Breaker == upstream.BreakerOpen
		one.Known = one.Known || one.Down
		s.States = append(s.States, one)

		if lane.askedWithin(lookLasts) {
			lately++
			if one.Breaker != upstream.BreakerClosed { // half open: the next question is a probe
				open++
			}
		}
	}
	if lately >= 2 && open == lately { // one state that is down says nothing of VIES
		s.Down, s.Breaker = true, upstream.BreakerOpen
	}
	return s
}
