package watch

import (
	"context"
	"sync"
	"time"
)

// Hub wakes those who follow events.
type Hub struct {
	// latest is the number of the newest event.
	latest func(context.Context) (int64, error)

	mu      sync.Mutex
	changed chan struct{} // nil while nobody waits
}

// pollEvery is how soon followers learn of an event that another edge wrote.
const pollEvery = time.Second

// NewHub makes a hub that asks for the number of the newest event, to learn of those that other edges wrote.
func NewHub(latest func(context.Context) (int64, error)) *Hub { return &Hub{latest: latest} }

// Wait returns a channel that is closed when there are new events. Who calls it before reading a feed, and waits on the
// channel after reading, misses none.
func (h *Hub) Wait() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.changed == nil {
		h.changed = make(chan struct{})
	}
	return h.changed
}

// Tell wakes all who wait. It is called after a commit that wrote events.
func (h *Hub) Tell() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.changed != nil {
		close(h.changed)
		h.changed = nil
	}
}

// Poll looks for events of other edges until the context ends, while somebody waits. An edge on its own needs none.
func (h *Hub) Poll(ctx context.Context) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	known := int64(-1)
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if !h.waiting() {
			known = -1
			continue
		}

		// What was committed between Wait and the first look at the number is not noticed by a comparison, so the first
		// look wakes as well.
		if latest, err := h.latest(ctx); err == nil && latest != known {
			known = latest
			h.Tell()
		}
	}
}

func (h *Hub) waiting() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changed != nil
}
