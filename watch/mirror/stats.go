package mirror

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/watch"
)

// counters count a mirror's work.
type counters struct {
	leading, failing atomic.Bool
	coverage         atomic.Pointer[watch.Coverage]

	countingMu sync.Mutex
	minutes    [60]minute // a ring buffer
}

// minute counts the batches and companies of one minute.
type minute struct {
	number             int64
	batches, companies int
}

// count adds a batch with a number of companies.
func (c *counters) count(companies int) {
	c.countingMu.Lock()
	defer c.countingMu.Unlock()
	number := time.Now().Unix() / 60
	m := &c.minutes[number%int64(len(c.minutes))]
	if m.number != number {
		*m = minute{number: number}
	}

	m.batches++
	m.companies += companies
}

// lastHour sums the batches and companies of the last hour.
func (c *counters) lastHour() (batches, companies int) {
	c.countingMu.Lock()
	defer c.countingMu.Unlock()
	since := time.Now().Unix()/60 - int64(len(c.minutes))
	for _, m := range c.minutes {
		if m.number > since {
			batches += m.batches
			companies += m.companies
		}
	}

	return batches, companies
}

// Stats are the counts and settings of a mirror.
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

// Stats returns the current counts. Those of the store are zero until Count has read them once.
func (m *Mirror) Stats() Stats {
	s := Stats{Scope: m.Scope, Share: m.Share.Part, Leading: m.leading.Load()}
	batches, companies := m.lastHour()
	s.Used, s.Hourly = min(float64(batches)*m.Share.Pace.Seconds()/time.Hour.Seconds(), 1), companies
	if coverage := m.coverage.Load(); coverage != nil {
		s.Coverage = *coverage
	}

	s.InScope = s.Watched + s.Seen
	if m.Scope.usesRegister() {
		s.InScope = max(m.Register.Count(m.Scope == InOperation), s.Watched)
	}

	return s
}

// Count reads the store's counts until the context ends: once a minute, or less often if that would take more than a
// hundredth of the time. Every process of a fleet does so.
func (m *Mirror) Count(ctx context.Context) {
	work.Repeat(ctx, nil, func(ctx context.Context) time.Duration {
		began := time.Now()
		var seen ro.Date
		if m.Scope == Seen {
			seen = seenSince(began)
		}
		if coverage, err := m.Store.Coverage(ctx, began, seen); err == nil {
			m.coverage.Store(&coverage)
		}

		return max(sweepEvery, sweepShare*time.Since(began))
	})
}
