package auth

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// jobs run in the background, so that response times do not reveal the work.
type jobs struct {
	logger  *slog.Logger
	running sync.WaitGroup
	slots   chan struct{}
}

// Limits of background jobs.
const (
	maxJobs = 64
	jobTime = 15 * time.Second
)

// start runs a job and logs its error. The error is errBusy when too many are running.
func (j *jobs) start(ctx context.Context, name string, do func(context.Context) error) error {
	select {
	case j.slots <- struct{}{}:
	default:
		return errBusy
	}

	j.running.Go(func() {
		defer func() { <-j.slots }()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), jobTime)
		defer cancel()
		if err := do(ctx); err != nil {
			j.logger.ErrorContext(ctx, name, "error", err)
		}
	})

	return nil
}
