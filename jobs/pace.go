package jobs

import (
	"context"
	"sync"
	"time"
)

// pace spaces the calls of all jobs to the tax authority, so that they use no more than their share of the ration.
type pace struct {
	every time.Duration

	mu   sync.Mutex
	slot time.Time
}

// await waits for the turn of a number of calls, in FIFO order.
func (p *pace) await(ctx context.Context, calls int) error {
	p.mu.Lock()
	now := time.Now()
	turn := p.slot
	if turn.Before(now) {
		turn = now
	}

	p.slot = turn.Add(time.Duration(calls) * p.every)
	p.mu.Unlock()
	return sleep(ctx, turn.Sub(now))
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}

	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
