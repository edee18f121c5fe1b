// Package fleet makes several edges one, by way of a Redis or Valkey server that
// they share: what one has fetched all have, a caller's rate is one rate wherever
// he calls, and a registry is asked at one pace.
//
// None of it is needed to answer. Each question to the server has a few
// milliseconds; when it fails, the server counts as away for five seconds at
// least, in which nobody asks it and the edge goes on alone: its callers get
// their share of the rates, its registries their share of the pace. It comes back
// by itself. What must be exact, accounts and credits, is not kept here.
package fleet

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// keyPrefix begins every key and names the form of what is under it.
const keyPrefix = "rodata-1:"

// Options say where the server is and how large the fleet.
type Options struct {
	// URL is the server's, as CheckURL accepts it. Required.
	URL string
	// Edges is how many edges share the server. While it is away, each takes that
	// part of the rates and of the pace for its own: too small a number lets too
	// much through then. At least 1.
	Edges int
	// Logger is told when the server goes away and when it is back. Default
	// slog.Default().
	Logger *slog.Logger

	budgets budgets // tests on busy machines take longer ones
}

// budgets are how long a caller waits for the server at most.
type budgets struct {
	question time.Duration // for a limit, a turn, a lock
	value    time.Duration // for something stored
}

// Fleet is this edge's connection to the others. Its methods may be called by
// many goroutines at once, and fail at once after Close.
type Fleet struct {
	link    *link
	edges   int
	name    string // this edge's, in locks
	budgets budgets
	writes  chan func() // the writes nobody waits for, in order

	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	running sync.WaitGroup
	ears    ears
}

// openPatience is how long Open waits for the server.
const openPatience = time.Second

// queuedWrites is how many writes may wait; those beyond are not made.
const queuedWrites = 256

// Open connects to the server; Close ends the connection. A server that cannot be
// reached is no error: the edge begins alone, the log says so, and it is tried
// again every second. It fails when the options are wrong.
func Open(o Options) (*Fleet, error) {
	options, err := parseURL(o.URL)
	if err != nil {
		return nil, fmt.Errorf("opening the fleet's redis: %w", err)
	}
	if o.Edges < 1 {
		return nil, fmt.Errorf("opening the fleet's redis: %d edges: give the number of those that share it, at least 1", o.Edges)
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.budgets == (budgets{}) {
		o.budgets = budgets{question: 25 * time.Millisecond, value: 50 * time.Millisecond}
	}
	f := &Fleet{
		link: newLink(options, o.budgets.question, o.Logger), edges: o.Edges, name: rand.Text(),
		budgets: o.budgets, writes: make(chan func(), queuedWrites),
	}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	tried := make(chan struct{})
	f.running.Go(func() { f.link.keep(f.ctx, tried) })
	f.running.Go(f.write)
	patience := time.NewTimer(openPatience)
	defer patience.Stop()
	select {
	case <-tried:
	case <-patience.C:
	}
	return f, nil
}

// Close ends the connection and what runs behind it; writes that still wait are
// not made.
func (f *Fleet) Close() {
	f.cancel()
	f.running.Wait()
	f.link.close()
}

// Edges is how many edges share the server.
func (f *Fleet) Edges() int { return f.edges }

// later makes a write in its turn behind those before it. It reports false when
// too many wait.
func (f *Fleet) later(write func()) bool {
	select {
	case f.writes <- write:
		return true
	default:
		f.link.dropped.Add(1)
		return false
	}
}

// write makes the writes until Close.
func (f *Fleet) write() {
	for {
		select {
		case write := <-f.writes:
			write()
		case <-f.ctx.Done():
			return
		}
	}
}

// Stats are what has happened since Open.
type Stats struct {
	// Up is true while the server answers.
	Up bool
	// Failures counts the questions that it did not answer, or not in time; those
	// that were not asked, since it was away, are not among them.
	Failures uint64
	// Dropped counts the values that it does not have, since it refused them or too
	// many were waiting.
	Dropped uint64
}

// Stats reads them.
func (f *Fleet) Stats() Stats {
	return Stats{Up: f.link.up.Load(), Failures: f.link.failures.Load(), Dropped: f.link.dropped.Load()}
}

// ErrAway is the error of what was not asked, since the server did not answer a
// moment ago.
var ErrAway = errors.New("redis is away")
