package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// leastHeap is how large the heap may get before garbage is collected at all, in
// bytes. Go waits until the heap has doubled, which for a gateway that holds 25 MB
// is several times a second under load, and a sixth of its processor time. See
// docs/performance.md.
const leastHeap = 128 << 20

// spareTheCollector makes the garbage collector leave the heap alone until it has
// leastHeap; a larger heap is collected when it has doubled, as ever. The limit of
// all memory, which Caddy takes from the container or the machine, still holds. An
// operator who sets GOGC has decided otherwise.
func spareTheCollector() {
	if os.Getenv("GOGC") == "" {
		new(pacer).afterCycle()
	}
}

// pacer sets the heap's growth anew after each cycle, by what is alive.
type pacer struct{ percent int }

func (p *pacer) afterCycle() {
	if percent := growth(liveHeap()); percent != p.percent {
		p.percent = percent
		debug.SetGCPercent(percent) // stops the program for a moment, so only when it has to
	}
	// An object that nobody holds is found by the next cycle.
	runtime.AddCleanup(new([16]byte), (*pacer).afterCycle, p)
}

// growth is how much larger the heap may get, in percent of what is alive. It is
// rounded down to steps, so that it does not change with every cycle.
func growth(live uint64) int {
	const least, most, step = 100, 3000, 50
	if live >= leastHeap/2 {
		return least
	}
	percent := (leastHeap - live) * 100 / max(live, 1)
	return int(min(percent, most)) / step * step
}

// liveHeap is what the last cycle found alive, in bytes.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
