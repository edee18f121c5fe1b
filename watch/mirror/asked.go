package mirror

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/rodata/rodata/api"
)

const (
	// noteEvery is the interval at which the requested companies are stored.
	noteEvery = time.Minute
	// maxAsked limits the companies remembered between two writes, and the companies remembered as written today.
	maxAsked = 100_000
)

// Asked records requested companies, each once a day. A killed process loses the requests of the last minute.
type Asked struct {
	// Store stores them. It is a *store.DB.
	Store interface {
		NoteSeen(ctx context.Context, companies []api.CUI, on api.Date) error
	}
	Log *slog.Logger

	mu      sync.Mutex
	day     api.Date
	waiting map[api.CUI]bool
	written map[api.CUI]bool // today
}

// Note records a request for a company.
func (a *Asked) Note(c api.CUI) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.written[c] && len(a.waiting) < maxAsked {
		if a.waiting == nil {
			a.waiting = make(map[api.CUI]bool)
		}
		a.waiting[c] = true
	}
}

// Run stores the recorded companies until the context ends.
func (a *Asked) Run(ctx context.Context) {
	tick := time.NewTicker(noteEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
		}

		a.write(context.WithoutCancel(ctx))
	}
}

func (a *Asked) write(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, noteEvery/2)
	defer cancel()
	today := api.Today()
	a.mu.Lock()
	waiting := a.waiting
	a.waiting = nil
	if a.day != today || len(a.written) > maxAsked {
		a.day, a.written = today, make(map[api.CUI]bool)
	}

	a.mu.Unlock()
	if len(waiting) == 0 {
		return
	}

	if err := a.Store.NoteSeen(ctx, slices.Sorted(maps.Keys(waiting)), today); err != nil {
		a.Log.Warn("companies that were asked for are not noted", "companies", len(waiting), "error", err)
		return
	}

	a.mu.Lock()
	defer a.mu.Unlock()
	maps.Copy(a.written, waiting)
}
