package fleet

import (
	"testing"
	"time"

	"github.com/rodata/rodata/fleet/redistest"
)

// TestCount promises that something is counted once for all edges, apart from other
// things, and may be done again when it has rested.
func TestCount(t *testing.T) {
	t.Parallel()
	edges := joinThree(t, redistest.Start(t).URL(), patient)
	const window = 2 * time.Second
	count := func(edge int, name string) time.Duration {
		t.Helper()
		wait, err := edges[edge].Count(t.Context(), name, 3, window)
		if err != nil {
			t.Fatal(err)
		}
		return wait
	}
	for i := range edges {
		if wait := count(i, "sign in"); wait != 0 {
			t.Fatalf("time %d has to wait for %s", i+1, wait)
		}
	}
	wait := count(0, "sign in")
	if wait <= 0 || wait > window {
		t.Fatalf("the fourth time has to wait for %s, want up to %s", wait, window)
	}
	if other := count(0, "sign up"); other != 0 {
		t.Errorf("another thing has to wait for %s", other)
	}
	if again := count(1, "sign in"); again <= 0 || again > wait {
		t.Errorf("the fifth time has to wait for %s, and the fourth for %s: asking in vain costs nothing", again, wait)
	}
	for range 3 {
		count(0, "forgotten")
	}
	if err := edges[1].Forget(t.Context(), "forgotten"); err != nil {
		t.Fatal(err)
	}
	if forgotten := count(2, "forgotten"); forgotten != 0 {
		t.Errorf("what was forgotten has to wait for %s", forgotten)
	}
	passing(wait + 10*time.Millisecond)
	if wait := count(2, "sign in"); wait != 0 {
		t.Errorf("after a rest it has to wait for %s", wait)
	}
}

// TestCountWithoutRedis promises that a count fails where there is no Redis.
func TestCountWithoutRedis(t *testing.T) {
	server := redistest.Start(t)
	f := joinThree(t, server.URL(), patient)[0]
	server.Kill()
	for range 2 {
		if wait, err := f.Count(t.Context(), "sign in", 3, time.Second); err == nil || wait != 0 {
			t.Errorf("counted: %s, %v", wait, err)
		}
	}
}
