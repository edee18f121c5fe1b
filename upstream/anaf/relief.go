package anaf

import (
	"context"
	"time"
)

// relief divides the work on a long answer into short stretches, with pauses of the same length in between. An answer
// about a hundred companies takes some 25 ms of CPU. Without pauses, calls that are served from the cache would have to
// wait for a processor.
type relief struct{ since time.Time }

// stretch is the maximum time of work without a pause.
const stretch = time.Millisecond / 2

func newRelief() *relief { return &relief{time.Now()} }

// rest pauses for the duration of the last stretch, if that was long enough.
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
