package jobs

import (
	"context"
	"sync"
	"time"

	"github.com/rodata/rodata/internal/work"
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
	return work.Sleep(ctx, turn.Sub(now))
}
