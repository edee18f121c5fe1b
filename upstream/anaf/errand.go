package anaf

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/metering"
)

const (
	// maxErrands is how many errands may wait, about as many as get a turn before
	// their callers give up.
	maxErrands = 60
	// At most so many batches of companies go before the next errand: some when
	// somebody waits for the companies, else one.
	batchesForCallers   = 3
	batchesForRefreshes = 1
)

// errand is a call to another service of the tax authority, which allows one
// call a second for all of them together. Its error is set before done is closed.
type errand struct {
	caller metering.BucketID
	round  int // how many errands of the caller were waiting before it
	run    func(context.Context) error
	done   chan struct{}
	err    error
}

// Paced makes the calls of a fetch take turns with those of a lookup, within its
// pace, never two of them at once. Companies go first, but not for ever: one call
// in four is left to them when there is no end of companies. A call whose context
// ends, or whose demand is abandoned, while it waits is not made; one that is
// under way is finished. The error is the fetch's, or an *api.Failure: Closed when
// too many wait already or the last caller has left, TimedOut when the context's
// deadline passes first.
func Paced[K, V any](l *Lookup, fetch func(context.Context, K) (V, error)) cache.Loader[K, V] {
	return func(ctx context.Context, key K, d cache.Demand) (V, error) {
		var value, none V
		err := l.send(ctx, d, func(turn context.Context) (err error) {
			value, err = fetch(turn, key)
			return err
		})
		if err != nil {
			return none, err
		}
		return value, nil
	}
}

// send has an errand run when its turn comes, and waits for it to end.
func (l *Lookup) send(ctx context.Context, d cache.Demand, run func(context.Context) error) error {
	caller := api.CallerOf(ctx)
	e := &errand{caller: caller.Bucket(), run: run, done: make(chan struct{})}
	if err := l.enqueue(e); err != nil {
		return err
	}
	abandoned, done := d.Abandoned(), ctx.Done()
	for {
		select {
		case <-e.done:
			return e.err
		case <-abandoned:
			if l.withdraw(e) {
				return errUnwanted
			}
			abandoned = nil
		case <-done:
			if l.withdraw(e) || errors.Is(ctx.Err(), context.Canceled) {
				return gaveUp(fmt.Errorf("waiting for a turn: %w", ctx.Err()))
			}
			done = nil // the call has a deadline of its own
		}
	}
}

// withdraw takes an errand out of the queue. It reports false when it is not there
// any more.
func (l *Lookup) withdraw(e *errand) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.errands, e)
	if i < 0 {
		return false
	}
	l.errands = slices.Delete(l.errands, i, i+1)
	return true
}

// enqueue gives an errand a place: behind those whose callers have no more waiting
// than its own, so that one who wants many does not keep the others waiting. In
// a full line the last makes room for it, or it is refused.
func (l *Lookup) enqueue(e *errand) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return closed(0, errClosing)
	}
	for _, other := range l.errands {
		if other.caller == e.caller {
			e.round++
		}
	}
	if n := len(l.errands); n >= maxErrands {
		refusal := closed(time.Duration(n)*l.options.Pace, fmt.Errorf("%d errands are waiting", n))
		last := l.errands[n-1]
		if last.round <= e.round {
			return refusal
		}
		l.errands = l.errands[:n-1]
		last.end(refusal)
	}
	at := len(l.errands)
	for at > 0 && l.errands[at-1].round > e.round {
		at--
	}
	l.errands = slices.Insert(l.errands, at, e)
	l.changed()
	return nil
}

// nextErrand is the errand whose turn it is, or nil: a batch goes first. It
// needs the lock.
func (l *Lookup) nextErrand() *errand {
	if len(l.errands) == 0 || l.onErrand {
		return nil
	}
	waiting, first := l.waiting(), 0
	switch {
	case waiting > l.queue[refresh].length+l.queue[alone].length:
		first = batchesForCallers
	case waiting > 0:
		first = batchesForRefreshes
	}
	if l.passed < first {
		l.passed++
		return nil
	}
	e := l.errands[0]
	l.errands = l.errands[1:]
	l.passed, l.onErrand = 0, true
	return e
}

// runErrand makes the call of an errand.
func (l *Lookup) runErrand(ctx context.Context, e *errand) {
	ctx, cancel := context.WithTimeout(ctx, l.options.Deadline)
	defer cancel()
	err := e.call(ctx)
	l.rest(ctx, err)
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.changed()
	l.calls--
	l.onErrand = false
	l.slow(err)
	e.end(err)
}

// call turns a panic into an error: it would end the process.
func (e *errand) call(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("running an errand: panic: %v", p)
		}
	}()
	return e.run(ctx)
}

func (e *errand) end(err error) {
	e.err = err
	close(e.done)
}
