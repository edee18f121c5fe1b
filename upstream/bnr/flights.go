package bnr

import (
	"context"
	"fmt"
	"sync"

	"github.com/rodata/rodata/api"
)

// flights are the fetches in progress, at most one per document (singleflight). A
// flight has the trace of the call that started it, but not its cancellation: it
// ends with the registry at the latest.
type flights struct {
	life context.Context
	stop context.CancelFunc

	mu     sync.Mutex
	flying map[int]*flight
	ended  sync.WaitGroup
}

// flight is one fetch; err may be read once done is closed.
type flight struct {
	done chan struct{}
	err  error
}

// latest is the kind of the flight that fetches the latest fixing; other kinds are
// years.
const latest = 0

func newFlights() *flights {
	f := &flights{flying: map[int]*flight{}}
	f.life, f.stop = context.WithCancel(context.Background())
	return f
}

// join returns the flight of a kind, and starts one if there is none.
func (f *flights) join(ctx context.Context, kind int, work func(context.Context) error) *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	if running := f.flying[kind]; running != nil {
		return running
	}

	started := &flight{done: make(chan struct{})}
	if err := f.life.Err(); err != nil {
		started.err = &api.Failure{Registry: name, Kind: api.Closed, Err: fmt.Errorf("the archive is closed: %w", err)}
		close(started.done)
		return started
	}

	f.flying[kind] = started
	f.ended.Go(func() {
		err := recovered(startedBy{f.life, ctx}, work)
		f.mu.Lock()
		delete(f.flying, kind)
		f.mu.Unlock()
		started.err = err
		close(started.done)
	})

	return started
}

// startedBy is a flight's context: the registry's cancellation with the values of the
// call that started it.
type startedBy struct {
	context.Context
	call context.Context
}

func (s startedBy) Value(key any) any { return s.call.Value(key) }

// recovered converts a panic into an error: in a goroutine it would crash the
// process.
func recovered(ctx context.Context, work func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("fetching fixings: panic: %v", p)
		}
	}()
	return work(ctx)
}

// close cancels all flights and waits for them.
func (f *flights) close() {
	f.mu.Lock()
	f.stop()
	f.mu.Unlock()
	f.ended.Wait()
}
