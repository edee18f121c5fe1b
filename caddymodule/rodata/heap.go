package main

import (
	"os"
	"runtime/debug"
	"time"
)

// spareTheCollector delays garbage collection. Go collects when the heap has doubled: for a gateway with 25 MB of live
// objects that is several times a second under load, and a sixth of its CPU time. An allocation that is never touched
// takes no memory and counts as live, so that the heap grows to some 130 MB before it is collected, and a large one
// little beyond its double: with a GOGC of several hundred, loading the trade register would need several times its
// memory. See docs/performance.md. The memory limit that Caddy derives from the container or the machine still applies.
// GOGC in the environment overrides this. The returned value must stay alive.
func spareTheCollector() (ballast []byte) {
	if os.Getenv("GOGC") == "" {
		ballast = make([]byte, 80<<20)
	}
	return ballast
}

// afterStart is the time after which a server has opened its files.
const afterStart = 5 * time.Second

// returnStartupMemory gives the memory that only the start needed back to the system, some 40 MB: an idle gateway collects
// garbage only every two minutes, and then keeps most of the memory.
func returnStartupMemory() { time.AfterFunc(afterStart, debug.FreeOSMemory) }
