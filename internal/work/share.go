package work

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// Share is the part of a registry's ration that work in the background may use.
type Share struct {
	// Part is more than 0, at most 1.
	Part float64
	// Pace is the ration's time between two calls.
	Pace  time.Duration
	ready func() bool

	mu   sync.Mutex
	next time.Time
}

// NewShare returns a share of the ration with a pace, by default the tax authority's 1.05 s. The function ready reports
// whether the registry may be queried: its breaker is closed or half-open, and it has not requested a pause.
func NewShare(part float64, pace time.Duration, ready func() bool) *Share {
	return &Share{Part: part, Pace: cmp.Or(pace, time.Second+time.Second/20), ready: ready}
}

// Turn waits for the turn of a number of calls, in FIFO order. It reports false if the registry must not be queried:
// at once, or when the turn has come.
func (s *Share) Turn(ctx context.Context, calls int) (ready bool, err error) {
	if !s.ready() {
		return false, ctx.Err()
	}

	s.mu.Lock()
	wait := max(time.Until(s.next), 0)
	s.next = time.Now().Add(wait + s.Length(calls))
	s.mu.Unlock()
	err = Sleep(ctx, wait)
	return err == nil && s.ready(), err
}

// Return gives back the turn of a number of calls that were not made.
func (s *Share) Return(calls int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = s.next.Add(-s.Length(calls))
}

// Length returns the time between the turn of a number of calls and the next turn.
func (s *Share) Length(calls int) time.Duration {
	return time.Duration(float64(calls) * float64(s.Pace) / s.Part)
}
