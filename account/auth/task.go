package auth

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// tasks run in the background, so that response times do not reveal the work.
type tasks struct {
	logger  *slog.Logger
	running sync.WaitGroup
	slots   chan struct{}
}

// Limits of background tasks.
const (
	maxTasks    = 64
	taskTimeout = 15 * time.Second
)

// start runs a task and logs its error. It returns errBusy if too many are running.
func (t *tasks) start(ctx context.Context, name string, do func(context.Context) error) error {
	select {
	case t.slots <- struct{}{}:
	default:
		return errBusy
	}

	t.running.Go(func() {
		defer func() { <-t.slots }()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), taskTimeout)
		defer cancel()
		if err := do(ctx); err != nil {
			t.logger.ErrorContext(ctx, name+" failed", "error", err)
		}
	})

	return nil
}
