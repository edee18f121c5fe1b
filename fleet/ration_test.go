package fleet

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/redis"
)

const testPace = 200 * time.Millisecond

// rations returns the rations of three edges.
func rations(t *testing.T) []*Ration {
	var all []*Ration
	for _, f := range joinThree(t, redis.Start(t).URL(), patient) {
		all = append(all, f.Ration("anaf"))
	}
	return all
}

// await waits for an edge's turn, and returns its time.
func await(ctx context.Context, t *testing.T, r *Ration) (at time.Time, ok bool) {
	for {
		wait, err := r.Turn(ctx, testPace)
		if ctx.Err() != nil {
			return at, false
		}
		if err != nil {
			t.Error(err)
			return at, false
		}
		if wait == 0 {
			return time.Now(), true
		}

		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return at, false
		}
	}
}

// Edges that all want to send keep the pace together, and take turns.
func TestOnePaceForAllEdges(t *testing.T) {
	t.Parallel()
	edges := rations(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*testPace)
	defer cancel()
	turns := make([]int, len(edges))
	var asking sync.WaitGroup
	start := time.Now()
	for i, r := range edges {
		asking.Go(func() {
			for {
				if _, ok := await(ctx, t, r); !ok {
					return
				}
				turns[i]++
			}
		})
	}

	asking.Wait()
	most := int(time.Since(start)/testPace) + 1
	all := turns[0] + turns[1] + turns[2]
	t.Logf("turns of the edges: %v, at most %d", turns, most)
	if all > most || all < most/2 {
		t.Errorf("%d turns, want at most %d and not much fewer", all, most)
	}
	// On a busy machine an edge may be late for its turn, which another then takes.
	if share := all / len(turns); 2*slices.Min(turns) < share {
		t.Errorf("turns of the edges are %v, want at least half of %d for each", turns, share)
	}
}

// No edge sends during a requested pause, not even the next in the queue; all continue afterwards.
func TestPauseAppliesToAllEdges(t *testing.T) {
	t.Parallel()
	edges := rations(t)
	for i, r := range edges {
		wait, err := r.Turn(t.Context(), testPace)
		if err != nil || (wait == 0) != (i == 0) {
			t.Fatalf("edge %d waits %v, %v", i+1, wait, err)
		}
	}

	const rest = time.Second
	testkit.NoError(t, edges[0].Rest(t.Context(), rest/2))

	start := time.Now()
	testkit.NoError(t, edges[0].Rest(t.Context(), rest))
	if err := edges[0].Rest(t.Context(), rest/2); err != nil { // shorter: no effect
		t.Fatal(err)
	}

	var last time.Time
	for i, r := range edges {
		at, ok := await(t.Context(), t, r)
		if !ok {
			t.Fatal("no turn")
		}
		if at.Sub(start) < rest {
			t.Errorf("edge %d has its turn after %v, want %v at least", i+1, at.Sub(start), rest)
		}
		if i > 0 && at.Sub(last) < testPace/2 {
			t.Errorf("edge %d has its turn %v after the one before, want about %v", i+1, at.Sub(last), testPace)
		}

		last = at
	}
}

// An edge that misses its turn does not block the others.
func TestPlaceInLineIsLost(t *testing.T) {
	t.Parallel()
	edges := rations(t)
	for _, r := range edges {
		if _, err := r.Turn(t.Context(), testPace); err != nil {
			t.Fatal(err)
		}
	}

	passing(4 * testPace) // the slots of the second and third edge are gone
	if wait, err := edges[0].Turn(t.Context(), testPace); wait != 0 || err != nil {
		t.Errorf("the queue is empty, but the first edge waits %v, %v", wait, err)
	}
	if wait, err := edges[1].Turn(t.Context(), testPace); wait <= 0 || err != nil {
		t.Errorf("the late second edge comes right after another: wait %v, %v, want a wait", wait, err)
	}
}
