package anaf

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream"
)

// Ration gives out turns to processes that ask the register together.
type Ration interface {
	// Turn reports whether a call may start now: wait is 0 then, and the turn is
	// taken. Otherwise it is how long to wait before asking again. Pace is the least
	// time between two turns of any processes. It fails, soon, when the others are out
	// of reach.
	Turn(ctx context.Context, pace time.Duration) (wait time.Duration, err error)
	// Rest makes all processes leave the register alone for so long.
	Rest(ctx context.Context, d time.Duration) error
}

// turn is how long to wait for this process's turn, 0 when it has it or needs none.
//
// When the others are out of reach, each process keeps the pace times their
// number. They find that out at the same moment, and some may have asked just
// before: so each begins after a part of that time which is left to chance.
func (l *Lookup) turn(ctx context.Context) time.Duration {
	if l.options.Ration == nil || l.options.Shut != nil && l.options.Shut() {
		return 0
	}
	wait, err := l.options.Ration.Turn(ctx, l.options.Pace)
	l.mu.Lock()
	defer l.mu.Unlock()
	alone := l.options.Pace * time.Duration(l.options.Processes)
	switch {
	case err == nil:
		l.pace = l.options.Pace
	case l.pace == alone:
		return 0
	default:
		l.pace, wait = alone, rand.N(alone)
	}
	if wait > 0 {
		l.next = time.Now().Add(wait)
	}
	return wait
}

// rest tells the other processes that the register has asked to be left alone.
func (l *Lookup) rest(ctx context.Context, err error) {
	var f *api.Failure
	if l.options.Ration == nil || errors.Is(err, upstream.ErrNotAsked) || !errors.As(err, &f) || f.Kind != api.Closed {
		return
	}
	// When they are out of reach, they find out for themselves.
	_ = l.options.Ration.Rest(context.WithoutCancel(ctx), f.RetryAfter)
}
