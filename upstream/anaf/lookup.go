package anaf

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rodata/rodata/api"
)

// Fetch asks about several companies in one call, as Client.Profiles does.
type Fetch func(ctx context.Context, cuis []api.CUI) (map[api.CUI]Result, error)

// LookupOptions bound a Lookup. The zero value is the defaults.
type LookupOptions struct {
	// Pace is the least time between the starts of two calls. Default 1.05 s:
	// the register allows one a second to a client.
	Pace time.Duration
	// Deadline is how long one lookup may take. Default 12 s.
	Deadline time.Duration
	// Queue is how many companies may wait to be asked about. Default 800, which
	// take 8 s.
	Queue int
}

// maxCalls is how many calls may run at once, so that one which hangs does not
// hold up all others.
const maxCalls = 2

// Lookup asks about single companies by gathering those that are wanted at the
// same time into one call. It is safe for concurrent use.
type Lookup struct {
	fetch   Fetch
	options LookupOptions
	wake    chan struct{} // of capacity 1: the state below has changed
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	tickets map[api.CUI]*ticket // every number that somebody waits for
	fresh   []*ticket           // not yet asked about, in order of arrival
	again   []batch             // what is left of failed calls
	calls   int                 // running
	next    time.Time           // earliest start of the next call
}

// ticket is one number and those who wait for it. Its result is set before done
// is closed.
type ticket struct {
	cui     api.CUI
	waiters int
	done    chan struct{}
	result  Result
}

// batch is what one call asks about.
type batch struct {
	tickets []*ticket
	retried bool
}

// NewLookup starts the goroutine that dispatches calls; Close ends it.
func NewLookup(fetch Fetch, o LookupOptions) *Lookup {
	if o.Pace <= 0 {
		o.Pace = time.Second + time.Second/20
	}
	if o.Deadline <= 0 {
		o.Deadline = 12 * time.Second
	}
	if o.Queue <= 0 {
		o.Queue = 8 * MaxBatch
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := &Lookup{fetch: fetch, options: o, wake: make(chan struct{}, 1), cancel: cancel, tickets: map[api.CUI]*ticket{}}
	l.running.Go(func() { l.dispatch(ctx) })
	return l
}

// Close fails the lookups that are waiting, and returns when no call runs.
func (l *Lookup) Close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.cancel()
	l.running.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.tickets {
		l.settle(t, Result{Err: closed(0, errClosing)})
	}
}

// Company is the profile of one company. The error is api.ErrUnknown for a
// number that the register does not know, else an *api.Failure: Closed at once
// when the queue is full, TimedOut when the deadline passes. The result is the
// caller's own, what it points to is shared.
func (l *Lookup) Company(ctx context.Context, cui api.CUI) (*api.Company, error) {
	ctx, cancel := context.WithTimeout(ctx, l.options.Deadline)
	defer cancel()
	t, err := l.join(cui)
	if err != nil {
		return nil, err
	}
	defer l.leave(t)
	select {
	case <-t.done:
	case <-ctx.Done():
		f := &api.Failure{Registry: registry, Kind: api.TimedOut, Err: fmt.Errorf("waiting for company %s: %w", cui, ctx.Err())}
		if errors.Is(ctx.Err(), context.Canceled) {
			f.Kind = api.Broken
		}
		return nil, f
	}
	if t.result.Err != nil {
		return nil, t.result.Err
	}
	company := *t.result.Company
	return &company, nil
}

// join takes a place in the queue, or one beside those who already wait for the
// same number.
func (l *Lookup) join(cui api.CUI) (*ticket, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.tickets[cui]; t != nil {
		t.waiters++
		return t, nil
	}
	wait := time.Until(l.next) + time.Duration(len(l.fresh)/MaxBatch)*l.options.Pace
	switch {
	case l.closed:
		return nil, closed(0, errClosing)
	case len(l.fresh) >= l.options.Queue, wait > l.options.Deadline:
		return nil, closed(wait, fmt.Errorf("%d companies are waiting to be asked about", len(l.fresh)))
	}
	t := &ticket{cui: cui, waiters: 1, done: make(chan struct{})}
	l.tickets[cui] = t
	l.fresh = append(l.fresh, t)
	l.changed()
	return t, nil
}

// leave gives up the place; a number that nobody waits for is not asked about.
func (l *Lookup) leave(t *ticket) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.waiters--; t.waiters == 0 {
		l.fresh = l.prune(l.fresh)
	}
}

// settle gives a ticket its result. It needs the lock.
func (l *Lookup) settle(t *ticket, r Result) {
	t.result = r
	close(t.done)
	delete(l.tickets, t.cui)
}

func (l *Lookup) changed() {
	select {
	case l.wake <- struct{}{}:
	default: // it will look anyway
	}
}

var errClosing = errors.New("the service is stopping")

func closed(wait time.Duration, err error) error {
	return &api.Failure{Registry: registry, Kind: api.Closed, RetryAfter: max(wait, time.Second), Err: err}
}
