package anaf

import (
	"context"
	"time"
)

// stretch is the maximum time of work without a pause.
const stretch = time.Millisecond / 2

// throttle returns a function to call between the steps of the work on a long answer, so that the work uses at most
// half of a processor. If the work since the last pause took long enough, the function pauses for the same time. An
// answer about a hundred companies takes some 25 ms of CPU. Without pauses, calls that are served from the cache would
// have to wait for a processor.
func throttle(ctx context.Context) (pause func()) {
	since := time.Now()
	return func() {
		worked := time.Since(since)
		if worked < stretch {
			return
		}

		timer := time.NewTimer(worked)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}

		since = time.Now()
	}
}
