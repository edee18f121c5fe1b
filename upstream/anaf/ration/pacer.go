package ration

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/upstream"
)

// maxCalls is the maximum number of concurrent calls. It is 2, so that a call that hangs does not block all others.
const maxCalls = 2

// never is the wait for an event that wakes the dispatcher.
const never = time.Hour

// pacer determines when the next call may start.
type pacer struct {
	pace    time.Duration // current interval between two starts
	next    time.Time     // earliest start of the next call
	running int           // calls
}

// wait returns the wait before a call. It is at most 0 if a call may start now.
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

// end records the outcome of a call. If the call was not actually made, the next one may start at once. If the registry
// requested a pause, the next one starts later.
func (p *pacer) end(now time.Time, err error) {
	p.running--
	if errors.Is(err, upstream.ErrNotSent) {
		p.next = now
	} else if rest := retryAfter(err); now.Add(rest).After(p.next) {
		p.next = now.Add(rest)
	}
}

// retryAfter returns the pause that the registry asked for, or 0.
func retryAfter(err error) time.Duration {
	f, ok := errors.AsType[*op.Failure](err)
	if !ok || f.Kind != op.Closed || errors.Is(err, upstream.ErrNotSent) {
		return 0
	}
	return f.RetryAfter
}

// Ration grants turns to processes that share a registry.
type Ration interface {
	// Turn requests a turn to start a call. If wait is 0, the turn is granted. Otherwise wait is the time before the
	// next request for a turn. Pace is the minimum time between two turns across all processes. Turn fails fast if the
	// ration is unreachable.
	Turn(ctx context.Context, pace time.Duration) (wait time.Duration, err error)
	// Rest makes all processes pause for a time.
	Rest(ctx context.Context, d time.Duration) error
}

// turn returns the wait for this process's turn. It is 0 if this process has the turn or needs none.
func (l *Lookup) turn(ctx context.Context) time.Duration {
	if l.options.Ration == nil || l.isShut() {
		return 0
	}

	wait, err := l.options.Ration.Turn(ctx, l.options.Pace)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pacer.applyRation(time.Now(), l.options.Pace, l.options.Processes, wait, err)
}

// applyRation applies the ration's answer: a wait, or an error. After an error, each process multiplies its pace by the
// number of processes. All processes notice the outage at the same time, and some may have just made a call, so each
// one starts after a random part of the new pace.
func (p *pacer) applyRation(now time.Time, pace time.Duration, processes int, wait time.Duration,
	err error) time.Duration {
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

// rest informs the other processes that the registry has requested a pause. While the ration is unreachable, each
// process finds out separately.
func (l *Lookup) rest(ctx context.Context, err error) {
	if d := retryAfter(err); d > 0 && l.options.Ration != nil {
		_ = l.options.Ration.Rest(context.WithoutCancel(ctx), d)
	}
}

func (l *Lookup) isShut() bool { return l.options.Shut != nil && l.options.Shut() }

// Resting returns how long the tax authority must not be queried, as far as this process knows. It is longer than the
// pace if the tax authority requested a pause, or if another process has its turn.
func (l *Lookup) Resting() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Until(l.pacer.next)
}
