package mirror

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/watch"
)

// figures are a mirror's counts of its work.
type figures struct {
	leading, failing atomic.Bool
	counted          atomic.Pointer[watch.Coverage]

	countingMu sync.Mutex
	minutes    [60]minute // a ring
}

// minute counts the batches and companies of one minute.
type minute struct {
	number           int64
	batches, company int
}

// count adds a batch with a number of companies.
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
	// Share is the part of the ration that the mirror may use, and Used the part that this process used in the last
	// hour.
	Share, Used float64
	// Leading reports whether this process is the leader, which runs the mirror for the whole fleet.
	Leading bool
	// Hourly is the number of companies that this process looked at for the mirror in the last hour.
	Hourly int
	// InScope is the number of companies in scope.
	InScope int
	// Coverage holds the store's counts, which are a few minutes old at most.
	watch.Coverage
}

// Stats returns the figures. The counts of the store are zero until Count has run once.
func (m *Mirror) Stats() Stats {
	s := Stats{Scope: m.Scope, Share: m.Share, Leading: m.leading.Load()}
	batches, companies := m.lastHour()
	s.Used, s.Hourly = min(float64(batches)*m.Pace.Seconds()/time.Hour.Seconds(), 1), companies
	if counted := m.counted.Load(); counted != nil {
		s.Coverage = *counted
	}

	s.InScope = s.Watched + s.Seen
	if m.Scope.country() {
		s.InScope = max(m.Register.Count(m.Scope == InOperation), s.Watched)
	}

	return s
}

// Count reads the store's counts until the context ends: once a minute, or less often if that would take more than a
// hundredth of the time. Every process of a fleet does so.
func (m *Mirror) Count(ctx context.Context) {
	for ctx.Err() == nil {
		began := time.Now()
		var seen api.Date
		if m.Scope == Seen {
			seen = seenSince(began)
		}
		if counted, err := m.Store.Coverage(ctx, began, seen); err == nil {
			m.counted.Store(&counted)
		}

		wait(ctx, max(sweepEvery, sweepShare*time.Since(began)))
	}
}
