package caddymodule

import (
	"sync"
	"time"
)

// patience is how long a caller waits for a store on the way to an answer that does not depend on it. While the store
// does not answer, one call in a while waits as long as ever, to notice when it is back, and the others hardly at all:
// a database that swallows packets must not slow down every answer.
type patience struct {
	mu      sync.Mutex
	failing bool
	probed  time.Time // the last call that waited as long as ever while failing
}

const (
	fullPatience    = 5 * time.Second
	failingPatience = 200 * time.Millisecond
	probePause      = 10 * time.Second
)

// next is how long the next call may take.
func (p *patience) next(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failing && now.Sub(p.probed) < probePause {
		return failingPatience
	}
	p.probed = now
	return fullPatience
}

// report takes the outcome of a call, and reports whether it differs from the one before.
func (p *patience) report(failed bool) (changed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	changed = failed != p.failing
	p.failing = failed
	return changed
}
