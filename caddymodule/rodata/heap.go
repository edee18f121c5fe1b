package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// leastHeap is the heap size in bytes below which garbage is not collected. By default Go
// collects when the heap has doubled: for a gateway with 25 MB of live objects that is
// several times a second under load, and a sixth of its CPU time. See docs/performance.md.
const leastHeap = 128 << 20

// spareTheCollector delays garbage collection until the heap has leastHeap. A larger heap
// is still collected when it has doubled, which a fixed GOGC could not express: with it,
// loading the trade register would need several times its memory. The memory limit that
// Caddy takes from the container or the machine still holds. GOGC in the environment
// overrides this.
func spareTheCollector() {
	if os.Getenv("GOGC") == "" {
		new(pacer).afterCycle()
	}
}

// pacer adjusts GOGC after each collection to the live heap.
type pacer struct{ percent int }

func (p *pacer) afterCycle() {
	if percent := growth(liveHeap()); percent != p.percent {
		p.percent = percent
		debug.SetGCPercent(percent) // stops the world, so only on a change
	}
	// An unreachable object is found by the next collection.
	runtime.AddCleanup(new([16]byte), (*pacer).afterCycle, p)
}

// growth is GOGC for a live heap, rounded down to steps so that it does not change with
// every collection.
func growth(live uint64) int {
	const least, most, step = 100, 3000, 50
	if live >= leastHeap/2 {
		return least
	}
	percent := (leastHeap - live) * 100 / max(live, 1)
	return int(min(percent, most)) / step * step
}

// liveHeap is the live heap after the last collection, in bytes.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
