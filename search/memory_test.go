package search

import (
	"context"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
)

// Searches of all kinds by eight concurrent callers need at most 100 MiB besides the mapped files, with
// RODATA_TEST_FIRMS firms.
func TestServingNeedsLittleMemory(t *testing.T) {
	const most, each = 100, 100
	x := indexOf(t, size(t))
	debug.FreeOSMemory()
	idle := memory(t, "RssAnon")
	var callers sync.WaitGroup
	for caller := range 8 {
		callers.Go(func() {
			r := rand.New(rand.NewPCG(6, uint64(caller)))
			for range each {
				q := pick(r, kinds).make(r, x.At(r.Uint32N(uint32(x.Len()))))
				if _, err := x.Search(context.Background(), q); err != nil {
					t.Error(err)
				}
			}
		})
	}

	callers.Wait()
	grown := memory(t, "RssAnon") - idle
	t.Logf("%d firms: %.0f MiB of anonymous memory more than before %d searches", x.Len(), grown, 8*each)
	if grown > most {
		t.Errorf("%.0f MiB, want at most %d", grown, most)
	}
}

// memory returns a value of /proc/self/status in MiB.
func memory(t testing.TB, name string) float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("this system does not tell the memory of a process")
	}

	_, rest, _ := strings.Cut(string(text), name+":")
	var kib float64
	for _, c := range strings.TrimSpace(strings.SplitN(rest, "kB", 2)[0]) {
		kib = 10*kib + float64(c-'0')
	}

	return kib / 1024
}
