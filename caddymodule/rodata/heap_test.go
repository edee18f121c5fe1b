package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestHeapGrowsToItsLeastSize(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{
		{0, 3000}, {1 << 20, 3000}, {25 << 20, 400}, {32 << 20, 300}, {60 << 20, 100}, {64 << 20, 100}, {1 << 30, 100},
	} {
		if got := growth(c.live); got != c.want {
			t.Errorf("%d MiB alive: may grow by %d %%, want %d", c.live>>20, got, c.want)
		}
	}
}

// A small heap is collected when it has its least size, a large one when it has
// doubled.
func TestCollectorIsSpared(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	new(pacer).afterCycle()
	cycles := func(held, garbage int) (n, live int) {
		hold := make([]byte, held)
		runtime.GC()
		runtime.GC() // what the first one led to has been done
		live = int(liveHeap())
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range garbage >> 10 {
			sink = make([]byte, 1<<10)
		}
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(hold)
		return int(after.NumGC - before.NumGC), live
	}
	const garbage = 2 << 30
	if n, live := cycles(1, garbage); n > garbage/(leastHeap-live)*3/2 {
		t.Errorf("%d cycles while 2 GiB went by and %d MiB were held, which is too often", n, live>>20)
	}
	if n, live := cycles(2*leastHeap, garbage); n < garbage/live/2 {
		t.Errorf("%d cycles while 2 GiB went by and %d MiB were held: the heap is not bounded", n, live>>20)
	}
}

var sink []byte
