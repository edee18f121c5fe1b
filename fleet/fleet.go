// Package fleet lets several edges act as one gateway through a shared Redis or Valkey server: a shared second-level
// cache, shared rate limits, and one pace of requests to each registry.
//
// Redis is an optimization, never a dependency. Each command has a budget of a few milliseconds. After a failure the
// server counts as down for at least five seconds; meanwhile the edge sends it nothing and enforces its own share of
// every limit. It recovers automatically. Data that must be exact (accounts, credits) is not kept here.
package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// keyPrefix starts every key; its number is the version of the stored formats.
const keyPrefix = "rodata-1:"

// Options configure a Fleet.
type Options struct {
	// URL is the server's address, in a form that CheckURL accepts. Required.
	URL string
	// Edges is the number of edges that share the server. While the server is down, each edge enforces 1/Edges of every
	// limit, so too small a number lets too many calls through. At least 1.
	Edges int
	// Logger receives a line when the server goes down and when it recovers. Default slog.Default().
	Logger *slog.Logger

	budgets budgets // overridden by tests on busy machines
}

// budgets are the maximum times that a caller waits for the server.
type budgets struct {
	command time.Duration // limits, turns, locks
	value   time.Duration // cached values
}

// Fleet is this edge's connection to the shared server. It is safe for concurrent use; after Close every method fails
// immediately.
type Fleet struct {
	link    *link
	edges   int
	budgets budgets
	writes  chan func() // background writes, in order

	ctx         context.Context // ends with Close
	cancel      context.CancelFunc
	running     sync.WaitGroup
	subscribers subscribers
}

// openTimeout is the maximum time that Open waits for the first connection attempt.
const openTimeout = time.Second

// maxQueuedWrites bounds the background writes; further ones are dropped.
const maxQueuedWrites = 256

// Open connects to the server; Close disconnects. If the server is unreachable, Open succeeds anyway: the edge starts
// on its own, logs a warning, and retries every second. Open fails only if the options are invalid.
func Open(o Options) (*Fleet, error) {
	options, err := parseURL(o.URL)
	if err != nil {
		return nil, fmt.Errorf("opening the fleet's redis: %w", err)
	}
	if o.Edges < 1 {
		return nil, fmt.Errorf("opening the fleet's redis: %d edges: set the number of edges that share the server, "+
			"at least 1", o.Edges)
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.budgets == (budgets{}) {
		o.budgets = budgets{command: 25 * time.Millisecond, value: 50 * time.Millisecond}
	}

	f := &Fleet{
		link:  &link{options: options, budget: o.budgets.command, log: o.Logger, down: make(chan struct{}, 1)},
		edges: o.Edges, budgets: o.budgets, writes: make(chan func(), maxQueuedWrites),
	}

	f.ctx, f.cancel = context.WithCancel(context.Background())
	tried := make(chan error, 1)
	f.running.Go(func() { f.link.supervise(f.ctx, tried) })
	f.running.Go(f.drainWrites)
	select {
	case err = <-tried:
	case <-time.After(openTimeout):
		err = errTimeout
	}
	if err != nil {
		o.Logger.Warn("redis is unreachable; this edge starts on its own, with its share of the limits, and keeps trying",
			"error", err)
	}

	return f, nil
}

// Close disconnects and stops the background goroutines. Queued writes are dropped.
func (f *Fleet) Close() {
	f.cancel()
	f.running.Wait()
	f.link.close()
}

// Edges returns the number of edges that share the server.
func (f *Fleet) Edges() int { return f.edges }

// enqueue queues a background write, or drops it when the queue is full.
func (f *Fleet) enqueue(write func()) {
	select {
	case f.writes <- write:
	default:
		f.link.dropped.Add(1)
	}
}

// drainWrites runs the queued writes until Close.
func (f *Fleet) drainWrites() {
	for {
		select {
		case write := <-f.writes:
			write()
		case <-f.ctx.Done():
			return
		}
	}
}

// Stats are counters since Open.
type Stats struct {
	// Up is true while the server answers.
	Up bool
	// Failures counts commands that failed or exceeded their budget. Commands skipped while the server was down are not
	// counted.
	Failures uint64
	// Dropped counts values that were not stored because the server rejected them or the write queue was full.
	Dropped uint64
}

// Stats returns the current counters.
func (f *Fleet) Stats() Stats {
	return Stats{Up: f.link.up.Load(), Failures: f.link.failures.Load(), Dropped: f.link.dropped.Load()}
}

// ErrDown is the error of commands that were not sent because the server has just failed.
var ErrDown = errors.New("redis is down")
