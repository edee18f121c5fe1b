package ration

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/internal/panics"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
)

const (
	// maxPaced is the maximum number of waiting paced calls. About as many get a turn before their callers give up.
	maxPaced = 60
	// The maximum numbers of batches before the next paced call: while callers wait for companies, and while only
	// background refreshes wait.
	batchesForCallers   = 3
	batchesForRefreshes = 1
)

// Paced makes the calls of another service of the tax authority take turns with a lookup's calls, because the limit
// holds for all services together. Two paced calls never run concurrently. Companies go first, but if companies keep
// waiting, one call in four is reserved for paced calls.
//
// A waiting call is dropped if its context ends or its demand is abandoned. A call on the wire is finished. The error
// is the fetch's, or an *op.Failure: Closed if too many calls wait or the last caller has left, TimedOut if the
// context's deadline passes first.
func Paced[K, V any](l *Lookup, fetch func(context.Context, K) (V, error)) cache.Loader[K, V] {
	return func(ctx context.Context, key K, d cache.Demand) (V, error) {
		var value, none V
		err := l.runPaced(ctx, d, func(turn context.Context) (err error) {
			value, err = fetch(turn, key)
			return err
		})
		if err != nil {
			return none, err
		}

		return value, nil
	}
}

// pacedCall is a call that waits for its turn. Its error is set before done is closed.
type pacedCall struct {
	caller metering.BucketID
	round  int // number of the caller's calls that were waiting before it
	run    func(context.Context) error
	done   chan struct{}
	err    error
}

func (c *pacedCall) end(err error) {
	c.err = err
	close(c.done)
}

// call runs the call, and converts a panic to an error, because a panic would end the process.
func (c *pacedCall) call(ctx context.Context) (err error) {
	defer panics.Recover(&err, "making a paced call")
	return c.run(ctx)
}

// pacedQueue holds the waiting paced calls, the next one first. Callers take turns, so that a caller with many calls
// does not block the others.
type pacedQueue struct {
	waiting []*pacedCall
	running bool
	passed  int // batches before the next call
}

// push queues a call in its caller's turn: a caller's n-th waiting call comes after the n-th calls of all callers, and
// before their next ones. If the queue is full, push drops its last call, which may be the new one.
func (q *pacedQueue) push(c *pacedCall) (left *pacedCall) {
	for _, other := range q.waiting {
		if other.caller == c.caller {
			c.round++
		}
	}

	at := len(q.waiting)
	for at > 0 && q.waiting[at-1].round > c.round {
		at--
	}

	q.waiting = slices.Insert(q.waiting, at, c)
	if n := len(q.waiting); n > maxPaced {
		left, q.waiting = q.waiting[n-1], q.waiting[:n-1]
	}

	return left
}

// remove removes a call from the queue and reports whether the call was in it.
func (q *pacedQueue) remove(c *pacedCall) bool {
	i := slices.Index(q.waiting, c)
	if i < 0 {
		return false
	}

	q.waiting = slices.Delete(q.waiting, i, i+1)
	return true
}

// isReady reports whether a call could run now.
func (q *pacedQueue) isReady() bool { return len(q.waiting) > 0 && !q.running }

// next removes and returns the next call. It returns nil if a batch goes first: as long as companies wait, a number of
// batches precede each call. The arguments are the numbers of companies that wait for callers and in the background.
func (q *pacedQueue) next(forCallers, inBackground int) *pacedCall {
	if !q.isReady() {
		return nil
	}

	first := 0
	switch {
	case forCallers > 0:
		first = batchesForCallers
	case inBackground > 0:
		first = batchesForRefreshes
	}

	if q.passed < first {
		q.passed++
		return nil
	}

	c := q.waiting[0]
	q.waiting = q.waiting[1:]
	q.passed, q.running = 0, true
	return c
}

// runPaced queues a call, and waits until it has ended.
func (l *Lookup) runPaced(ctx context.Context, d cache.Demand, run func(context.Context) error) error {
	caller := op.CallerOf(ctx)
	c := &pacedCall{caller: caller.Bucket(), run: run, done: make(chan struct{})}
	if err := l.enqueuePaced(c); err != nil {
		return err
	}

	abandoned, done := d.Abandoned(), ctx.Done()
	for {
		select {
		case <-c.done:
			return c.err
		case <-abandoned:
			if l.withdraw(c) {
				return errUnwanted
			}
			abandoned = nil
		case <-done:
			if l.withdraw(c) || errors.Is(ctx.Err(), context.Canceled) {
				return gaveUp(fmt.Errorf("waiting for a turn: %w", ctx.Err()))
			}
			done = nil // the call has its own deadline
		}
	}
}

func (l *Lookup) enqueuePaced(c *pacedCall) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return closedFailure(0, errClosing)
	}
	if left := l.paced.push(c); left != nil {
		left.end(closedFailure(maxPaced*l.options.Pace, fmt.Errorf("%d calls are waiting", maxPaced)))
	}

	l.wakeDispatcher()
	return nil
}

func (l *Lookup) withdraw(c *pacedCall) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.paced.remove(c)
}

// callPaced makes a paced call.
func (l *Lookup) callPaced(ctx context.Context, c *pacedCall) {
	ctx, cancel := context.WithTimeout(ctx, l.options.Deadline)
	defer cancel()
	err := c.call(ctx)
	l.rest(ctx, err)

	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.wakeDispatcher()
	l.paced.running = false
	l.pacer.end(time.Now(), err)
	c.end(err)
}
