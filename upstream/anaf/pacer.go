package anaf

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream"
)

// maxCalls is how many calls may run at once, so that one which hangs does not hold
// up all others.
const maxCalls = 2

// never is how long to wait for something that wakes the dispatcher.
const never = time.Hour

// pacer says when the next call may start.
type pacer struct {
	pace    time.Duration // between two starts, at this moment
	next    time.Time     // earliest start of the next call
	running int           // calls
}

// wait is how long to wait before a call, at most 0 when it may start now.
func (p *pacer) wait(now time.Time) time.Duration {
	if p.running >= maxCalls {
		return never
	}
	return p.next.Sub(now)
}

func (p *pacer) start(now time.Time) {
	p.running++
	p.next = now.Add(p.pace)
}

// end notes the outcome of a call. The next one may start at once when this one was
// not made after all, and later when the registry asked to wait.
func (p *pacer) end(now time.Time, err error) {
	p.running--
	if errors.Is(err, upstream.ErrNotAsked) {
		p.next = now
	} else if rest := retryAfter(err); now.Add(rest).After(p.next) {
		p.next = now.Add(rest)
	}
}

// retryAfter is how long the registry asked to be left alone, 0 when it did not.
func retryAfter(err error) time.Duration {
	var f *api.Failure
	if errors.Is(err, upstream.ErrNotAsked) || !errors.As(err, &f) || f.Kind != api.Closed {
		return 0
	}
	return f.RetryAfter
}

// Ration gives out turns to processes that ask the registry together.
type Ration interface {
	// Turn reports whether a call may start now: wait is 0 then, and the turn is
	// taken. Otherwise it is how long to wait before asking again. Pace is the minimum
	// time between two turns of any processes. It fails, soon, when the ration is out
	// of reach.
	Turn(ctx context.Context, pace time.Duration) (wait time.Duration, err error)
	// Rest makes all processes leave the registry alone for so long.
	Rest(ctx context.Context, d time.Duration) error
}

// turn is how long to wait for this process's turn, 0 when it has it or needs none.
func (l *Lookup) turn(ctx context.Context) time.Duration {
	if l.options.Ration == nil || l.shut() {
		return 0
	}
	wait, err := l.options.Ration.Turn(ctx, l.options.Pace)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pacer.rationed(time.Now(), l.options.Pace, l.options.Processes, wait, err)
}

// rationed applies the ration's answer: how long to wait, or that it is out of reach.
// Then each process keeps the pace times their number. They notice that at the same
// moment, and some may have asked just before: so each begins after a random part of
// that time.
func (p *pacer) rationed(now time.Time, pace time.Duration, processes int, wait time.Duration, err error) time.Duration {
	apart := pace * time.Duration(processes)
	switch {
	case err == nil:
		p.pace = pace
	case p.pace == apart:
		return 0
	default:
		p.pace, wait = apart, rand.N(apart)
	}

	if wait > 0 {
		p.next = now.Add(wait)
	}
	return wait
}

// rest tells the other processes that the registry has asked to be left alone. While
// the ration is out of reach, each finds out for itself.
func (l *Lookup) rest(ctx context.Context, err error) {
	if d := retryAfter(err); d > 0 && l.options.Ration != nil {
		_ = l.options.Ration.Rest(context.WithoutCancel(ctx), d)
	}
}

func (l *Lookup) shut() bool { return l.options.Shut != nil && l.options.Shut() }

// Resting is how long the tax authority is to be left alone, as far as this process knows: because it has asked for
// that, or another process has its turn. It is at most a pace otherwise.
func (l *Lookup) Resting() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Until(l.pacer.next)
}
