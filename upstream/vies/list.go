package vies

import (
	"context"
	"errors"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/internal/vatid"
)

const (
	// linger is how long a chunk waits for more of what becomes known together.
	linger = 10 * time.Millisecond
	// quiet is how long nothing becomes known before an empty chunk says so.
	quiet = 10 * time.Second
)

// CheckAll implements [api.VATNumbers]. The queues of the states bound how much is asked at once.
func (r *Register) CheckAll(ctx context.Context, asked []api.VATQuestion, wait time.Duration, each func([]api.FoundVAT) bool) {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, cache.ErrUnattended)
	defer cancel()
	known := make(chan api.FoundVAT, len(asked))
	for i, q := range asked {
		go func() {
			answer, err := r.Check(ctx, q)
			known <- api.FoundVAT{Index: i, Answer: answer, Err: inTime(q, err)}
		}()
	}

	for missing := len(asked); missing > 0; {
		chunk := gather(known)
		missing -= len(chunk)
		if !each(chunk) {
			return
		}
	}
}

// gather waits for outcomes, and returns those that become known together: none after a long silence.
func gather(known <-chan api.FoundVAT) (chunk []api.FoundVAT) {
	select {
	case found := <-known:
		chunk = append(chunk, found)
	case <-time.After(quiet):
		return nil
	}

	full := time.After(linger)
	for {
		select {
		case found := <-known:
			chunk = append(chunk, found)
		case <-full:
			return chunk
		}
	}
}

// inTime is the error of a number that was not known in time: its look-up goes on.
func inTime(q api.VATQuestion, err error) error {
	if !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var f *api.Failure
	if errors.As(err, &f) {
		return err
	}
	return &api.Failure{
		Registry: Name, Part: vatid.Number(q.Number).State().Name(), Kind: api.TimedOut, RetryAfter: busyPause, Err: err,
	}
}
