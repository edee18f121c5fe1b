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
	done   chan struct{}
	cancel context.CancelFunc
	record *record
	err    error
}

// join returns the flight of a key. If there is none, it starts one that calls
// fetch with ctx's values, but neither its end nor its deadline.
func (g *flights) join(ctx context.Context, key string, timeout time.Duration, fetch func(context.Context) (*record, error)) (fl *flight, started bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if fl, ok := g.byKey[key]; ok {
		return fl, false
	}
	fl = &flight{done: make(chan struct{}), cancel: func() {}}
	if g.closed {
		fl.err = errClosed
		close(fl.done)
		return fl, false
	}
	ctx, fl.cancel = context.WithTimeout(context.WithoutCancel(ctx), timeout)
	if g.byKey == nil {
		g.byKey = make(map[string]*flight)
	}
	g.byKey[key] = fl
	g.running.Go(func() { g.fly(ctx, key, fl, fetch) })
	return fl, true
}

var errGoexit = errors.New("the fetch ended its goroutine")

// fly runs a flight to its end, whichever way fetch ends.
func (g *flights) fly(ctx context.Context, key string, fl *flight, fetch func(context.Context) (*record, error)) {
	fl.err = fmt.Errorf("fetching %s: %w", key, errGoexit)
	defer func() {
		if p := recover(); p != nil {
			fl.err = fmt.Errorf("fetching %s: panic: %v\n%s", key, p, debug.Stack())
		}
		fl.cancel()
		g.mu.Lock()
		delete(g.byKey, key)
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

// wait is the end of a flight, or of the caller's patience.
func (fl *flight) wait(ctx context.Context) (*record, error) {
	select {
	case <-fl.done:
		return fl.record, fl.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
