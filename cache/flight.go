package cache

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// flights are the fetches under way, one a key. It is not x/sync's singleflight
// because that one turns a panic into the end of the process, leaves waiters
// hanging after runtime.Goexit, and cannot be told to stop.
type flights struct {
	mu      sync.Mutex
	byKey   map[string]*flight
	closed  bool
	running sync.WaitGroup
}

// flight is one fetch and, once done is closed, what came of it.
type flight struct {
	key    string
	done   chan struct{}
	cancel context.CancelFunc
	record *record
	err    error

	// waiters are those who joined and have not left. When the last one leaves, the
	// fetch is told that it is abandoned, unless it is to go on unattended.
	waiters    int
	unattended bool
	attended   bool // somebody waits, or did
	abandoned  bool
	interest   *interest
}

// join returns the flight of a key. If there is none, it starts one that calls
// fetch with ctx's values, but neither its end nor its deadline. A caller without a
// reason must wait for the flight. With a reason the flight goes on in the
// background, and is promoted when a caller starts waiting.
func (g *flights) join(ctx context.Context, key string, timeout time.Duration, reason string, fetch func(context.Context) (*record, error)) (fl *flight, started bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if fl, ok := g.byKey[key]; ok {
		fl.waiters++
		fl.unattended = fl.unattended || reason != ""
		if reason == "" {
			fl.attend()
		}
		return fl, false
	}
	fl = &flight{key: key, done: make(chan struct{}), cancel: func() {}, waiters: 1}
	if g.closed {
		fl.err = errClosed
		close(fl.done)
		return fl, false
	}
	if reason != "" {
		fl.unattended = true
		fl.interest = &interest{reason: reason, attended: make(chan struct{})}
	} else {
		fl.attended = true
		fl.interest = &interest{abandoned: make(chan struct{})}
	}
	ctx = context.WithValue(ctx, interestKey{}, fl.interest)
	ctx, fl.cancel = context.WithTimeout(context.WithoutCancel(ctx), timeout)
	if g.byKey == nil {
		g.byKey = make(map[string]*flight)
	}
	g.byKey[key] = fl
	g.running.Go(func() { g.fly(ctx, fl, fetch) })
	return fl, true
}

// attend tells the fetch that somebody waits for it. It needs the lock of the
// flights.
func (fl *flight) attend() {
	if !fl.attended {
		fl.attended = true
		close(fl.interest.attended)
	}
}

var errGoexit = errors.New("the fetch ended its goroutine")

// fly runs a flight to its end, whichever way fetch ends.
func (g *flights) fly(ctx context.Context, fl *flight, fetch func(context.Context) (*record, error)) {
	fl.err = fmt.Errorf("fetching %s: %w", fl.key, errGoexit)
	defer func() {
		if p := recover(); p != nil {
			fl.err = fmt.Errorf("fetching %s: panic: %v\n%s", fl.key, p, debug.Stack())
		}
		fl.cancel()
		g.mu.Lock()
		delete(g.byKey, fl.key)
		g.mu.Unlock()
		close(fl.done)
	}()
	fl.record, fl.err = fetch(ctx)
}

// close cancels all flights, waits until they have ended, and lets no other
// start.
func (g *flights) close() {
	g.mu.Lock()
	g.closed = true
	for _, fl := range g.byKey {
		fl.cancel()
	}
	g.mu.Unlock()
	g.running.Wait()
}

// ErrUnattended is the cause (context.Cause) of the end of a caller's context who
// will wait no longer, and yet wants the fetch to go on, for whoever asks next.
var ErrUnattended = errors.New("the fetch goes on without its caller")

// wait is the end of a flight, or of the caller's patience.
func (g *flights) wait(ctx context.Context, fl *flight) (*record, error) {
	select {
	case <-fl.done:
		return fl.record, fl.err
	case <-ctx.Done():
		g.leave(fl, errors.Is(context.Cause(ctx), ErrUnattended))
		return nil, ctx.Err()
	}
}

// leave stops waiting. The flight stays in the air, where later callers find it: a
// fetch that has not asked the registry yet ends with [ErrPutOff] once it is
// abandoned, and they start another.
func (g *flights) leave(fl *flight, unattended bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	fl.waiters--
	fl.unattended = fl.unattended || unattended
	if fl.waiters == 0 && !fl.unattended && !fl.abandoned {
		fl.abandoned = true
		close(fl.interest.abandoned)
	}
}
