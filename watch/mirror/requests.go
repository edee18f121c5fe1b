package mirror

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/rodata/rodata/ro"
)

const (
	// flushInterval is the interval at which the requested companies are stored.
	flushInterval = time.Minute
	// maxRequests limits the companies remembered between two writes, and the companies remembered as written today.
	maxRequests = 100_000
)

// Requests is a write-behind buffer of the companies that callers request, for the scope Seen. It stores each company
// once a day. A killed process loses the requests of the last minute.
type Requests struct {
	// Store stores them. It is a *store.DB.
	Store interface {
		NoteSeen(ctx context.Context, companies []ro.CUI, on ro.Date) error
	}
	Log *slog.Logger

	mu      sync.Mutex
	day     ro.Date
	waiting map[ro.CUI]bool
	written map[ro.CUI]bool // today
}

// Note records a request for a company.
func (r *Requests) Note(c ro.CUI) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.written[c] && len(r.waiting) < maxRequests {
		if r.waiting == nil {
			r.waiting = make(map[ro.CUI]bool)
		}
		r.waiting[c] = true
	}
}

// Run stores the recorded companies until the context ends.
func (r *Requests) Run(ctx context.Context) {
	tick := time.NewTicker(flushInterval)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
		}

		r.flush(context.WithoutCancel(ctx))
	}
}

func (r *Requests) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, flushInterval/2)
	defer cancel()
	today := ro.Today()
	r.mu.Lock()
	waiting := r.waiting
	r.waiting = nil
	if r.day != today || len(r.written) > maxRequests {
		r.day, r.written = today, make(map[ro.CUI]bool)
	}

	r.mu.Unlock()
	if len(waiting) == 0 {
		return
	}

	if err := r.Store.NoteSeen(ctx, slices.Sorted(maps.Keys(waiting)), today); err != nil {
		r.Log.Warn("recording requested companies failed", "companies", len(waiting), "error", err)
		return
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	maps.Copy(r.written, waiting)
}
