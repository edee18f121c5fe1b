package mirror

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/watch"
)

// figures are what a mirror tells of itself.
type figures struct {
	leading, failing atomic.Bool
	counted          atomic.Pointer[watch.Observed]

	countingMu sync.Mutex
	minutes    [60]minute // a ring
}

// minute is the batches and companies of one minute.
type minute struct {
	number           int64
	batches, company int
}

// count counts the companies of a batch that were looked at.
func (f *figures) count(companies int) {
	f.countingMu.Lock()
	defer f.countingMu.Unlock()
	number := time.Now().Unix() / 60
	m := &f.minutes[number%int64(len(f.minutes))]
	if m.number != number {
		*m = minute{number: number}
	}
	m.batches++
	m.company += companies
}

// lastHour sums the batches and companies of the last hour.
func (f *figures) lastHour() (batches, companies int) {
	f.countingMu.Lock()
	defer f.countingMu.Unlock()
	since := time.Now().Unix()/60 - int64(len(f.minutes))
	for _, m := range f.minutes {
		if m.number > since {
			batches += m.batches
			companies += m.company
		}
	}
	return batches, companies
}

// Stats are the figures of a mirror.
type Stats struct {
	Scope Scope
	// Share is the part of the ration that may be used, and Used the part that was in the last hour, by this process.
	Share, Used float64
	// Leading is true in the process that looks.
	Leading bool
	// Hourly is the companies that this process looked at in the last hour for the mirror.
	Hourly int
	// InScope is the companies in scope.
	InScope int
	// Observed is what the store knows, as of the last minutes.
	watch.Observed
}

// Stats returns the figures. The counts are zero until Count has counted once.
func (m *Mirror) Stats() Stats {
	s := Stats{Scope: m.Scope, Share: m.Share, Leading: m.leading.Load()}
	batches, companies := m.lastHour()
	s.Used, s.Hourly = min(float64(batches)*m.Pace.Seconds()/time.Hour.Seconds(), 1), companies
	if counted := m.counted.Load(); counted != nil {
		s.Observed = *counted
	}
	s.InScope = s.Watched + s.Seen
	if m.Scope.country() {
		s.InScope = max(m.Register.Count(m.Scope == InOperation), s.Watched)
	}
	return s
}

// Count counts what was looked at until the context ends: once a minute, if that takes no more than a hundredth of the
// time. It does so in every process of a fleet.
func (m *Mirror) Count(ctx context.Context) {
	for ctx.Err() == nil {
		began := time.Now()
		var seen api.Date
		if m.Scope == Seen {
			seen = seenSince(began)
		}
		if counted, err := m.Store.Observed(ctx, began, seen); err == nil {
			m.counted.Store(&counted)
		}
		wait(ctx, max(sweepEvery, sweepShare*time.Since(began)))
	}
}
