package auth

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// jobs are done in the background, so that how long an answer takes does not tell
// what there was to do.
type jobs struct {
	logger  *slog.Logger
	running sync.WaitGroup
	slots   chan struct{}
}

// The bounds of what is done in the background.
const (
	maxJobs = 64
	jobTime = 15 * time.Second
)

func newJobs(logger *slog.Logger) jobs {
	return jobs{logger: logger, slots: make(chan struct{}, maxJobs)}
}

// start begins a job, when there is room for one more. It logs what goes wrong.
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

func (j *jobs) wait() { j.running.Wait() }
