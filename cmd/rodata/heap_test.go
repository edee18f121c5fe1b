package main

import (
	"runtime"
	"testing"

	"github.com/rodata/rodata/testkit/long"
)

// A small heap is collected when it has grown to some 130 MB, and a large heap when it has doubled.
func TestCollectorIsSparedLong(t *testing.T) {
	long.Only(t, "starts processes and waits for them")
	defer runtime.KeepAlive(heapBallast())

	const garbage = 1 << 30
	cycles := func(held int) int {
		hold := make([]byte, held)
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range garbage >> 14 {
			sink = make([]byte, 16<<10)
		}

		runtime.ReadMemStats(&after)
		runtime.KeepAlive(hold)
		return int(after.NumGC - before.NumGC)
	}
	if n := cycles(1); n > garbage/(80<<20) {
		t.Errorf("%d cycles for 1 GiB of garbage beside a small heap, which is too often", n)
	}
	if n := cycles(256 << 20); n < 2 {
		t.Errorf("%d cycles for 1 GiB of garbage beside 256 MiB: the heap is not bounded", n)
	}
}

var sink []byte
