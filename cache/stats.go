package cache

import "sync/atomic"

// Stats are the counters of a [Cache] since it was opened, and its gauges.
type Stats struct {
	// Kinds maps the name of each kind to its counters.
	Kinds map[string]KindStats
	// Entries is the number of entries in memory, Bytes their estimated size.
	Entries, Bytes int64
	// Queued is the number of entries waiting to be written to the file.
	Queued int
	// SetsDropped and SetsRejected count entries that memory did not admit: its buffer was full, or it holds more
	// popular ones. The lower levels have them.
	SetsDropped, SetsRejected uint64
	// Uncacheable counts values that were too large or could not be encoded.
	Uncacheable uint64
	// Unreadable counts stored entries that failed their checksum or did not decode.
	Unreadable uint64
	// RefreshesDropped counts background refreshes skipped because too many were running.
	RefreshesDropped uint64
	// Displaced counts entries that newer ones displaced from the write-behind queue before they were written.
	Displaced uint64
	// DiskErrors counts failed reads and writes of the file.
	DiskErrors uint64
	// DiskPaused is true while writing to the file is suspended after an error.
	DiskPaused bool
}

// KindStats count the answers of Get and Stored for one kind. Each answer counts exactly once among Fresh, Stale,
// Below, Shared, Unknown, Misses and Collapsed.
type KindStats struct {
	Fresh   uint64 // answered from memory
	Below   uint64 // answered by a lower level of this process
	Shared  uint64 // answered with an entry fetched by another process
	Stale   uint64 // answered with an expired entry
	Unknown uint64 // answered with a remembered ErrUnknown
	// Misses queried the registry; Collapsed joined another call's flight.
	Misses, Collapsed uint64

	Refreshes uint64 // background fetches
	// Failures are failed fetches, except ErrUnknown, refreshes ahead, and abandoned ones.
	Failures uint64
	Peeks    uint64 // values found by Peek
}

// counters are the live form of KindStats.
type counters struct {
	fresh, below, shared, stale, unknown, misses, collapsed, refreshes, failures, peeks atomic.Uint64
}

// counters returns the counters of a kind, the same ones on every call.
func (c *Cache) counters(kind string) *counters {
	c.kindsMu.Lock()
	defer c.kindsMu.Unlock()
	if c.kinds[kind] == nil {
		c.kinds[kind] = new(counters)
	}

	return c.kinds[kind]
}

// Stats returns the current counters.
func (c *Cache) Stats() Stats {
	s := Stats{
		Kinds:            make(map[string]KindStats),
		Entries:          c.entries.Load(),
		Bytes:            c.memory.MaxCost() - c.memory.RemainingCost(),
		SetsDropped:      c.setsDropped.Load(),
		SetsRejected:     c.setsRejected.Load(),
		Uncacheable:      c.uncacheable.Load(),
		Unreadable:       c.unreadable.Load(),
		RefreshesDropped: c.refreshesDropped.Load(),
	}

	s.Queued, s.Displaced = c.queue.state()
	if c.disk != nil {
		s.DiskErrors, s.DiskPaused = c.disk.failures.Load(), c.disk.isPaused()
	}

	c.kindsMu.Lock()
	defer c.kindsMu.Unlock()
	for name, k := range c.kinds {
		s.Kinds[name] = KindStats{Fresh: k.fresh.Load(), Below: k.below.Load(), Shared: k.shared.Load(),
			Stale: k.stale.Load(), Unknown: k.unknown.Load(),
			Misses: k.misses.Load(), Collapsed: k.collapsed.Load(), Refreshes: k.refreshes.Load(),
			Failures: k.failures.Load(), Peeks: k.peeks.Load()}
	}

	return s
}
