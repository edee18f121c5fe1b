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

	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/internal/work"
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

	jobs  work.Pool
	saved time.Time // the value of Through in the file

	mu       sync.Mutex
	timeline timeline
	watched  []*func() []system.SourceStatus // sources of the current states; the last one is in use
	sampled  time.Time                       // monotonic
}

// Open reads the timeline from a file, or starts an empty one. A damaged file is renamed with the suffix .damaged and
// logged. Open fails if the file cannot be read.
func Open(path string, logger *slog.Logger) (*Recorder, error) {
	return open(path, logger, time.Now)
}

func open(path string, logger *slog.Logger, clock func() time.Time) (*Recorder, error) {
	t, err := load(path)
	if errors.Is(err, errDamaged) {
		logger.Error("starting over with an empty record of the registries' availability", "error", err)
	} else if err != nil {
		return nil, err
	}

	r := &Recorder{path: path, logger: logger, clock: clock, timeline: t, saved: t.Through}
	saveAt := time.Now().Add(saveEvery)
	r.jobs.Repeat(func(context.Context) time.Duration {
		if time.Now().Before(saveAt) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.sample()
			return sampleEvery
		}

		saveAt = time.Now().Add(saveEvery)
		if err := r.save(); err != nil {
			r.logger.Error("saving the availability of the registries", "error", err)
		}

		return sampleEvery
	})
	return r, nil
}

// Watch calls states every second to sample the current states. It replaces the previous function. Once stop has
// returned, states is no longer called, and the previous function is used again unless it was stopped as well.
func (r *Recorder) Watch(states func() []system.SourceStatus) (stop func()) {
	r.mu.Lock()
	defer r.mu.Unlock()

	r.watched = append(r.watched, &states)
	r.sample()
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.sample() // counts the time up to now
		r.watched = slices.DeleteFunc(r.watched, func(one *func() []system.SourceStatus) bool { return one == &states })
		r.sample() // with the previous function
	}
}

// sample counts the time since the last sample for the states recorded then. It records and returns the current states.
func (r *Recorder) sample() []system.SourceStatus {
	if len(r.watched) == 0 {
		return nil
	}

	elapsed := time.Since(r.sampled)
	if elapsed > longestGap {
		elapsed = 0
	}

	r.sampled = time.Now()
	now := r.clock().UTC().Round(0)
	r.timeline.advance(now.Add(-elapsed), now)
	states := (*r.watched[len(r.watched)-1])()
	for _, s := range states {
		r.timeline.source(s.Name).note(r.timeline.Through, s.State, s.Breaker == string(upstream.BreakerHalfOpen))
	}

	return states
}

// Days returns the last n days, including today, of each watched registry.
func (r *Recorder) Days(n int) []system.SourceHistory {
	r.mu.Lock()
	defer r.mu.Unlock()

	all := []system.SourceHistory{}
	for _, s := range r.sample() {
		all = append(all, r.timeline.source(s.Name).view(s.Name, dayOf(r.clock()), n, r.timeline.Through))
	}

	return all
}

// Close stops sampling and saves.
func (r *Recorder) Close() error {
	r.jobs.Close()
	return r.save()
}
