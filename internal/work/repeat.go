package work

import (
	"context"
	"log/slog"
	"time"
)

// Bell wakes a repeated step. A ring during a step is kept for the end of its pause; the nil Bell never rings.
type Bell chan struct{}

// NewBell returns a bell that has not rung.
func NewBell() Bell { return make(Bell, 1) }

// Ring wakes the step. It does not block.
func (b Bell) Ring() {
	select {
	case b <- struct{}{}:
	default: // it has rung already
	}
}

// Repeat runs a step now, and again after each pause that it returns, or as soon as the bell rings. It returns when the
// context has ended.
func Repeat(ctx context.Context, bell Bell, step func(context.Context) (pause time.Duration)) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-bell:
		case <-timer.C:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return
		}

		timer.Reset(step(ctx))
	}
}

// RepeatLogged is like Repeat, for a step that can fail. Of consecutive failures, it logs the first one.
func RepeatLogged(ctx context.Context, bell Bell, log *slog.Logger, message string,
	step func(context.Context) (pause time.Duration, err error)) {
	isFailing := false
	Repeat(ctx, bell, func(ctx context.Context) time.Duration {
		pause, err := step(ctx)
		if err != nil && !isFailing && ctx.Err() == nil {
			log.Error(message, "error", err)
		}

		isFailing = err != nil
		return pause
	})
}

// Sleep waits for a time, at most until the context ends, and then returns the context's error.
func Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}

	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}

	return ctx.Err()
}
