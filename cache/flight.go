package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rodata/rodata/internal/panics"
)

// flights are the fetches in progress, at most one per key. x/sync's singleflight is unsuitable: its DoChan turns a
// panic into a crash, and a flight cannot be cancelled, abandoned or promoted.
type flights struct {
	mu      sync.Mutex
	byKey   map[string]*flight
	closed  bool
	running sync.WaitGroup
}

// flight is one fetch; its result may be read once done is closed.
type flight struct {
	key    string
	done   chan struct{}
	cancel context.CancelFunc
	entry  *entry
	err    error

	// waiters counts the waiting callers. When the last one leaves, the flight is abandoned, unless it is to continue
	// unattended.
	waiters    int
	unattended bool
	attended   bool // a caller is or was waiting
	abandoned  bool
	demand     Demand
}

// work is the work of a flight.
type work func(context.Context, Demand) (*entry, error)

// join returns the flight of a key. If there is none, it starts one that calls fetch with the values of ctx, but
// neither its cancellation nor its deadline. Callers who join as [Interactive] must wait for the flight. A less urgent
// flight runs in the background, and is promoted when a caller starts waiting.
func (g *flights) join(ctx context.Context, key string, timeout time.Duration, u Urgency,
	fetch work) (fl *flight, started bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if fl, ok := g.byKey[key]; ok {
		fl.waiters++
		if u == Interactive {
			fl.attend()
		} else {
			fl.unattended = true
		}

		return fl, false
	}

	fl = &flight{key: key, done: make(chan struct{}), cancel: func() {}, waiters: 1}
	if g.closed {
		fl.err = errClosed
		close(fl.done)
		return fl, false
	}

	fl.demand = newDemand(u)
	fl.attended = u == Interactive
	fl.unattended = !fl.attended
	ctx, fl.cancel = context.WithTimeout(context.WithoutCancel(ctx), timeout)
	if g.byKey == nil {
		g.byKey = make(map[string]*flight)
	}

	g.byKey[key] = fl
	g.running.Go(func() { g.fly(ctx, fl, fetch) })
	return fl, true
}

// attend promotes a background flight because a caller is now waiting for it. The caller holds the lock of the flights.
func (fl *flight) attend() {
	if !fl.attended {
		fl.attended = true
		close(fl.demand.attended)
	}
}

var errGoexit = errors.New("the fetch called runtime.Goexit")

// fly runs a flight, and ends it even if fetch panics.
func (g *flights) fly(ctx context.Context, fl *flight, fetch work) {
	fl.err = fmt.Errorf("fetching %s: %w", fl.key, errGoexit)
	defer func() {
		fl.cancel()
		g.mu.Lock()
		delete(g.byKey, fl.key)
		g.mu.Unlock()
		close(fl.done)
	}()
	defer panics.Recover(&fl.err, "fetching ", fl.key)

	fl.entry, fl.err = fetch(ctx, fl.demand)
}

// close cancels all flights, waits for them, and prevents new ones.
func (g *flights) close() {
	g.mu.Lock()
	g.closed = true
	for _, fl := range g.byKey {
		fl.cancel()
	}

	g.mu.Unlock()
	g.running.Wait()
}

// ErrUnattended is the cause of cancellation (context.Cause) with which a caller stops waiting without abandoning the
// fetch: the next caller finds its result.
var ErrUnattended = errors.New("the fetch continues without its caller")

// wait waits for the end of a flight or of ctx.
func (g *flights) wait(ctx context.Context, fl *flight) (*entry, error) {
	select {
	case <-fl.done:
		return fl.entry, fl.err
	case <-ctx.Done():
		g.leave(fl, errors.Is(context.Cause(ctx), ErrUnattended))
		return nil, ctx.Err()
	}
}

// leave stops waiting. Later callers still find the flight: a fetch that is abandoned before it has queried the
// registry ends with [ErrPutOff], and they start another one.
func (g *flights) leave(fl *flight, unattended bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	fl.waiters--
	fl.unattended = fl.unattended || unattended
	if fl.waiters == 0 && !fl.unattended && !fl.abandoned {
		fl.abandoned = true
		close(fl.demand.abandoned)
	}
}
