package service

import (
	"sync"
	"time"
)

// patience limits how long a caller waits for a store that the answer does not depend on. While the store fails, an
// occasional call waits the full time to notice a recovery. All other calls hardly wait, because a database that drops
// packets must not slow down every answer.
type patience struct {
	mu      sync.Mutex
	failing bool
	probed  time.Time // the last call during the failure that waited the full time
}

const (
	fullPatience    = 5 * time.Second
	failingPatience = 200 * time.Millisecond
	probePause      = 10 * time.Second
)

// next returns the time limit of the next call.
func (p *patience) next(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failing && now.Sub(p.probed) < probePause {
		return failingPatience
	}

	p.probed = now
	return fullPatience
}

// report records the outcome of a call, and reports whether it differs from the previous outcome.
func (p *patience) report(failed bool) (changed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	changed = failed != p.failing
	p.failing = failed
	return changed
}
