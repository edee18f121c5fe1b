// Package history remembers how the registries were: for how long each of them
// was in which state, by day in UTC, and when it was not as it should be. It lies
// in a file, so that it outlives the process. What it did not see it does not
// know: a time when the process did not run is nobody's good time.
package history

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream"
)

const (
	lookEvery = time.Second
	saveEvery = time.Minute
	// longestGap is for how long at most a state is taken to last that nobody looks
	// at: a process that was suspended knows nothing of that time.
	longestGap = 10 * time.Second
)

// History is the states of the registries over time. It is safe for concurrent
// use.
type History struct {
	path   string
	logger *slog.Logger
	clock  func() time.Time // tells the day, and may be set

	stop    context.CancelFunc
	running sync.WaitGroup
	saved   time.Time // the Through of the record in the file

	mu      sync.Mutex
	record  record
	watched []*watch
	looked  time.Time // by the clock that nobody sets
}

// watch is one who knows how the registries are.
type watch struct{ states func() []api.SourceStatus }

// Open reads the history that lies in a file, or begins one. A damaged file is
// moved aside to the same name with .damaged, which the logger is told. The error
// is that of a file that cannot be read.
func Open(path string, logger *slog.Logger) (*History, error) {
	return open(path, logger, time.Now)
}

func open(path string, logger *slog.Logger, clock func() time.Time) (*History, error) {
	r, err := load(path)
	if errors.Is(err, errDamaged) {
		logger.Error("beginning the history of the registries anew", "error", err)
	} else if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	h := &History{path: path, logger: logger, clock: clock, stop: stop, record: r, saved: r.Through}
	h.running.Go(func() { h.run(ctx) })
	return h, nil
}

// run looks and saves until the context ends.
func (h *History) run(ctx context.Context) {
	look, save := time.NewTicker(lookEvery), time.NewTicker(saveEvery)
	defer look.Stop()
	defer save.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			h.mu.Lock()
			h.look()
			h.mu.Unlock()
		case <-save.C:
			if err := h.save(); err != nil {
				h.logger.Error("saving the history of the registries", "error", err)
			}
		}
	}
}

// Watch has the states asked for with a function from now on, every second, in
// place of the one before. It is no longer called once stop has returned; the one
// before is asked again then, if it has not been stopped.
func (h *History) Watch(states func() []api.SourceStatus) (stop func()) {
	w := &watch{states}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watched = append(h.watched, w)
	h.look()
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.look() // counts the time up to here
		h.watched = slices.DeleteFunc(h.watched, func(one *watch) bool { return one == w })
		h.look() // asks the one before
	}
}

// look counts the time since the last look for the states that were seen then,
// and takes down those of now, which it gives.
func (h *History) look() []api.SourceStatus {
	if len(h.watched) == 0 {
		return nil
	}
	elapsed := time.Since(h.looked)
	if elapsed > longestGap {
		elapsed = 0
	}
	h.looked = time.Now()
	now := h.clock().UTC().Round(0)
	h.record.pass(now.Add(-elapsed), now)
	states := h.watched[len(h.watched)-1].states()
	for _, s := range states {
		h.record.source(s.Name).note(h.record.Through, s.State, s.Breaker == string(upstream.BreakerHalfOpen))
	}
	return states
}

// Days are the last days, today included, of each registry that is watched.
func (h *History) Days(n int) []api.SourceHistory {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := []api.SourceHistory{}
	for _, s := range h.look() {
		all = append(all, h.record.source(s.Name).view(s.Name, dayOf(h.clock()), n, h.record.Through))
	}
	return all
}

// Close stops looking and saves.
func (h *History) Close() error {
	h.stop()
	h.running.Wait()
	return h.save()
}
