package main

import (
	"os"
	"runtime/debug"
	"time"
)

// heapBallast returns an allocation that delays garbage collection as long as it stays alive. Go collects when the heap
// has doubled. For a gateway with 25 MB of live objects, this happens several times a second under load and takes a
// sixth of its CPU time. The ballast is never touched: it takes no memory but counts as live, so the heap grows to some
// 130 MB before a collection, and a large heap to little more than double its size. A higher GOGC would delay
// collections too, but loading the trade register would then need several times its memory. See docs/performance.md.
// The memory limit that Caddy derives from the container or the machine still applies. GOGC in the environment turns
// the ballast off.
func heapBallast() (ballast []byte) {
	if os.Getenv("GOGC") == "" {
		ballast = make([]byte, 80<<20)
	}
	return ballast
}

// afterStart is the time after which a server has opened its files.
const afterStart = 5 * time.Second

// returnStartupMemory gives the memory that only the start needed, some 40 MB, back to the system. Without it, an idle
// gateway would collect garbage only every two minutes, and then keep most of the memory.
func returnStartupMemory() { time.AfterFunc(afterStart, debug.FreeOSMemory) }
