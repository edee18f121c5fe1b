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

	// Of those who joined it, waiters have not left. Once none are, it is cancelled,
	// unless it goes on for its own sake.
	waiters    int
	unattended bool
	attention  *attention // nil when somebody waits, or did
}

// join returns the flight of a key. If there is none, it starts one that calls
// fetch with ctx's values, but neither its end nor its deadline. Who joins without
// an attention must wait for it; with one, it goes on unattended, and gets the
// attention of whoever comes to wait.
func (g *flights) join(ctx context.Context, key string, timeout time.Duration, a *attention, fetch func(context.Context) (*record, error)) (fl *flight, started bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if fl, ok := g.byKey[key]; ok {
		fl.waiters++
		fl.unattended = fl.unattended || a != nil
		if a == nil {
			fl.attend()
		}
		return fl, false
	}
	fl = &flight{key: key, done: make(chan struct{}), cancel: func() {}, waiters: 1, unattended: a != nil, attention: a}
	if g.closed {
		fl.err = errClosed
		close(fl.done)
		return fl, false
	}
	if a != nil {
		ctx = context.WithValue(ctx, background{}, a)
	}
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
	if fl.attention != nil {
		close(fl.attention.came)
		fl.attention = nil
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
		g.remove(fl)
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

// remove makes room for the next flight of the key. It needs the lock.
func (g *flights) remove(fl *flight) {
	if g.byKey[fl.key] == fl {
		delete(g.byKey, fl.key)
	}
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

// leave gives up waiting. The last one who does ends the flight, unless it is to go
// on, and whoever comes later begins another.
func (g *flights) leave(fl *flight, unattended bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	fl.waiters--
	fl.unattended = fl.unattended || unattended
	if fl.waiters == 0 && !fl.unattended {
		fl.cancel()
		g.remove(fl)
	}
}
