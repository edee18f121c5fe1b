// Package uptime records the availability of the registries: for how long each registry was in which state, by day in
// UTC, and the incidents. The record is kept in a file and survives the process. Time during which the process did not
// run counts as unknown, not as up.
package uptime

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
	sampleEvery = time.Second
	saveEvery   = time.Minute
	// longestGap is the longest time between two samples that still counts. If a process was suspended for longer, the
	// state during that time is unknown.
	longestGap = 10 * time.Second
)

// Recorder records the states of the registries over time. It is safe for concurrent use.
type Recorder struct {
	path   string
	logger *slog.Logger
	clock  func() time.Time // the wall clock, which may be set

	stop    context.CancelFunc
	running sync.WaitGroup
	saved   time.Time // the value of Through in the file

	mu       sync.Mutex
	timeline timeline
	watched  []*watch
	sampled  time.Time // monotonic
}

// watch is a source of the registries' current states.
type watch struct{ states func() []api.SourceStatus }

// Open reads the timeline from a file, or starts an empty one. A damaged file is renamed with the suffix .damaged and
// logged. Open fails if the file cannot be read.
func Open(path string, logger *slog.Logger) (*Recorder, error) {
	return open(path, logger, time.Now)
}

func open(path string, logger *slog.Logger, clock func() time.Time) (*Recorder, error) {
	r, err := load(path)
	if errors.Is(err, errDamaged) {
		logger.Error("starting over with an empty record of the registries' availability", "error", err)
	} else if err != nil {
		return nil, err
	}

	ctx, stop := context.WithCancel(context.Background())
	h := &Recorder{path: path, logger: logger, clock: clock, stop: stop, timeline: r, saved: r.Through}
	h.running.Go(func() { h.run(ctx) })
	return h, nil
}

// run samples and saves until ctx ends.
func (h *Recorder) run(ctx context.Context) {
	sample, save := time.NewTicker(sampleEvery), time.NewTicker(saveEvery)
	defer sample.Stop()
	defer save.Stop()

	for {
		select {
		case <-ctx.Done():
			return
		case <-sample.C:
			h.mu.Lock()
			h.sample()
			h.mu.Unlock()
		case <-save.C:
			if err := h.save(); err != nil {
				h.logger.Error("saving the availability of the registries", "error", err)
			}
		}
	}
}

// Watch calls states every second to sample the current states. It replaces the previous function. Once stop has
// returned, states is no longer called, and the previous function is used again unless it was stopped as well.
func (h *Recorder) Watch(states func() []api.SourceStatus) (stop func()) {
	w := &watch{states}
	h.mu.Lock()
	defer h.mu.Unlock()

	h.watched = append(h.watched, w)
	h.sample()
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.sample() // counts the time up to now
		h.watched = slices.DeleteFunc(h.watched, func(one *watch) bool { return one == w })
		h.sample() // with the previous function
	}
}

// sample counts the time since the last sample for the states recorded then. It records and returns the current states.
func (h *Recorder) sample() []api.SourceStatus {
	if len(h.watched) == 0 {
		return nil
	}

	elapsed := time.Since(h.sampled)
	if elapsed > longestGap {
		elapsed = 0
	}

	h.sampled = time.Now()
	now := h.clock().UTC().Round(0)
	h.timeline.advance(now.Add(-elapsed), now)
	states := h.watched[len(h.watched)-1].states()
	for _, s := range states {
		h.timeline.source(s.Name).note(h.timeline.Through, s.State, s.Breaker == string(upstream.BreakerHalfOpen))
	}

	return states
}

// Days returns the last n days, including today, of each watched registry.
func (h *Recorder) Days(n int) []api.SourceHistory {
	h.mu.Lock()
	defer h.mu.Unlock()

	all := []api.SourceHistory{}
	for _, s := range h.sample() {
		all = append(all, h.timeline.source(s.Name).view(s.Name, dayOf(h.clock()), n, h.timeline.Through))
	}

	return all
}

// Close stops sampling and saves.
func (h *Recorder) Close() error {
	h.stop()
	h.running.Wait()
	return h.save()
}
