package anaf

import (
	"context"
	"time"
)

// relief divides the work on a long answer into short stretches with rests as long in between. An answer about a
// hundred companies takes some 25 ms of CPU; without rests, whoever is served from the cache meanwhile waits for a
// processor.
type relief struct{ since time.Time }

// stretch is how long work goes on without a rest.
const stretch = time.Millisecond / 2

func newRelief() *relief { return &relief{time.Now()} }

// rest pauses for as long as the work went on, if that was at least a stretch.
func (r *relief) rest(ctx context.Context) {
	worked := time.Since(r.since)
	if worked < stretch {
		return
	}

	timer := time.NewTimer(worked)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	r.since = time.Now()
}
