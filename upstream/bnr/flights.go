package bnr

import (
	"context"
	"fmt"
	"sync"

	"github.com/rodata/rodata/api"
)

// flights are the fetches under way, at most one of a kind: whoever needs what
// one is about to bring waits for it. A flight belongs to the trace of the call
// that started it, but does not end with that: with the registry at the latest.
type flights struct {
	life context.Context
	stop context.CancelFunc

	mu     sync.Mutex
	flying map[int]*flight
	ended  sync.WaitGroup
}

// flight is one fetch; err may be read once landed is closed.
type flight struct {
	landed chan struct{}
	err    error
}

// latest is the flight that brings the latest fixing; the others are named by
// their year.
const latest = 0

func newFlights() *flights {
	f := &flights{flying: map[int]*flight{}}
	f.life, f.stop = context.WithCancel(context.Background())
	return f
}

// join finds the flight of a kind, or starts it.
func (f *flights) join(ctx context.Context, kind int, work func(context.Context) error) *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	if running := f.flying[kind]; running != nil {
		return running
	}
	started := &flight{landed: make(chan struct{})}
	if err := f.life.Err(); err != nil {
		started.err = &api.Failure{Registry: name, Kind: api.Closed, Err: fmt.Errorf("the archive is closed: %w", err)}
		close(started.landed)
		return started
	}
	f.flying[kind] = started
	f.ended.Go(func() {
		err := recovered(startedBy{f.life, ctx}, work)
		f.mu.Lock()
		delete(f.flying, kind)
		f.mu.Unlock()
		started.err = err
		close(started.landed)
	})
	return started
}

// startedBy is a flight's context: its end is the registry's, its values are those
// of the call that started it.
type startedBy struct {
	context.Context
	call context.Context
}

func (s startedBy) Value(key any) any { return s.call.Value(key) }

// recovered turns a panic into an error: in a goroutine of its own it would end
// the process.
func recovered(ctx context.Context, work func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("fetching fixings: panic: %v", p)
		}
	}()
	return work(ctx)
}

// close cancels all flights and waits for their end.
func (f *flights) close() {
	f.mu.Lock()
	f.stop()
	f.mu.Unlock()
	f.ended.Wait()
}
