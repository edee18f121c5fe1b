package watch

import (
	"context"
	"sync"
	"time"

	"github.com/rodata/rodata/internal/work"
)

// Hub wakes the followers of events.
type Hub struct {
	// latest returns the number of the newest event.
	latest func(context.Context) (int64, error)

	mu      sync.Mutex
	changed chan struct{} // nil while no follower waits
}

// pollEvery is the interval at which the hub checks for events written by other edges.
const pollEvery = time.Second

// NewHub returns a hub. Its Poll calls latest, which returns the number of the newest event, to detect the events of
// other edges.
func NewHub(latest func(context.Context) (int64, error)) *Hub { return &Hub{latest: latest} }

// Wait returns a channel that is closed when there are new events. A follower that calls Wait, then reads the feed, and
// then waits on the channel misses none.
func (h *Hub) Wait() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.changed == nil {
		h.changed = make(chan struct{})
	}

	return h.changed
}

// Wake wakes all followers. It is called after a commit that wrote events.
func (h *Hub) Wake() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.changed != nil {
		close(h.changed)
		h.changed = nil
	}
}

// Poll checks for events of other edges until the context ends, as long as there are waiting followers. A single edge
// does not need it.
func (h *Hub) Poll(ctx context.Context) {
	known := int64(-1)
	work.Repeat(ctx, nil, func(ctx context.Context) time.Duration {
		if !h.hasWaiting() {
			known = -1
			return pollEvery
		}

		// An event committed between Wait and the first check is already included in the first number that the hub
		// reads, so the first check always wakes the followers.
		if latest, err := h.latest(ctx); err == nil && latest != known {
			known = latest
			h.Wake()
		}
		return pollEvery
	})
}

func (h *Hub) hasWaiting() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changed != nil
}
