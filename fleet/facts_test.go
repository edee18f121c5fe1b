package fleet

import (
	"context"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/redis"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// settle waits until the writes of an edge are stored.
func settle(t *testing.T, f *Fleet) {
	t.Helper()
	done := make(chan struct{})
	f.writes <- func() { close(done) }
	<-done
}

func TestFactsNeverGoBackwards(t *testing.T) {
	edges := joinThree(t, redis.Start(t).URL(), patient)
	now := time.Now()
	for _, step := range []struct {
		name  string
		at    time.Time
		value string
		want  string
	}{
		{"first", noon, "1", "1"},
		{"older", noon.Add(-time.Microsecond), "0", "1"},
		{"as old", noon, "2", "2"},
		{"newer", noon.Add(time.Microsecond), "3", "3"},
		{"from a clock that is ahead", now.Add(time.Hour), "4", "3"},
		{"from before 1970", time.Unix(-1, 0), "5", "3"},
	} {
		t.Run(step.name, func(t *testing.T) {
			edges[0].Put("a", []byte(step.value), step.at, now.Add(time.Hour))
			settle(t, edges[0])
			if got := string(edges[1].Get(t.Context(), "a")); got != step.want {
				t.Errorf("%q is stored, want %q", got, step.want)
			}
		})
	}
}

// A value is gone after its expiry or deletion, and a value fetched before the deletion does not reappear.
func TestFactsEnd(t *testing.T) {
	edges := joinThree(t, redis.Start(t).URL(), patient)
	f, before := edges[0], time.Now()
	f.Put("short", []byte("1"), before, before.Add(300*time.Millisecond))
	f.Put("over", []byte("1"), before, before)
	f.Put("deleted", []byte("1"), before, before.Add(time.Hour))
	settle(t, f)
	if v := f.Get(t.Context(), "over"); v != nil {
		t.Errorf("found an expired value: %q", v)
	}
	if v := f.Get(t.Context(), "deleted"); string(v) != "1" {
		t.Errorf("stored: %q", v)
	}

	testkit.Until(t, "the value to expire", func() bool { return f.Get(t.Context(), "short") == nil })
	testkit.NoError(t, edges[1].Delete(t.Context(), "deleted"))

	for _, at := range []time.Time{before, time.Now()} {
		f.Put("deleted", []byte("2"), at, at.Add(time.Hour))
		settle(t, f)
		if v := f.Get(t.Context(), "deleted"); (v == nil) != (at == before) {
			t.Errorf("put after the deletion, fetched %v before: %q", time.Since(at), v)
		}
	}
}

// A server that is out of memory still serves requests that need no more of it.
func TestFullRedis(t *testing.T) {
	f := joinThree(t, redis.Start(t, "--maxmemory", "1").URL(), patient)[0]
	f.Put("a", []byte("1"), noon, time.Now().Add(time.Hour))
	settle(t, f)
	if s := f.Stats(); !s.Up || s.Dropped != 1 || s.Failures != 0 {
		t.Errorf("%+v, want one value dropped, and the server in use", s)
	}
}

func TestClaim(t *testing.T) {
	edges := joinThree(t, redis.Start(t).URL(), patient)
	release, ok := edges[0].Claim(t.Context(), "a")
	if !ok {
		t.Fatal("the first claim is refused")
	}
	if _, ok := edges[1].Claim(t.Context(), "a"); ok {
		t.Error("two edges hold the same lock")
	}

	other, ok := edges[1].Claim(t.Context(), "b")
	if !ok {
		t.Error("a claim of another key is refused")
	}

	release()
	settle(t, edges[0])
	again, ok := edges[2].Claim(t.Context(), "a")
	if !ok {
		t.Error("a claim is refused after the previous one was released")
	}

	release() // for a lock now held by another edge
	settle(t, edges[0])
	if _, ok := edges[0].Claim(t.Context(), "a"); ok {
		t.Error("an edge released another edge's lock")
	}

	again()
	other()
}

// edge is the cache of one edge, with the number of its requests to the registry.
type edge struct {
	facts *cache.Facts[string, string]
	asked *atomic.Int64
}

// caches returns the caches of edges, over a registry that takes 200 ms.
func caches(t *testing.T, edges []*Fleet) []edge {
	var all []edge
	for _, f := range edges {
		c, err := cache.Open(cache.Options{MaxBytes: 1 << 20, Logger: slog.New(slog.DiscardHandler)})
		testkit.NoError(t, err)

		t.Cleanup(func() { c.Close() })
		asked := new(atomic.Int64)
		all = append(all, edge{cache.Through(c.Sharing(f), cache.Kind{Name: "company", Fresh: time.Hour},
			func(ctx context.Context, key string, _ cache.Demand) (string, error) {
				asked.Add(1)
				passing(200 * time.Millisecond)
				return "profile of " + key, nil
			}), asked})
	}

	return all
}

// A key that all edges request at once is fetched by one of them, and shared with the others.
func TestOneEdgeFetches(t *testing.T) {
	edges := caches(t, joinThree(t, redis.Start(t).URL(), patient))
	const callers, keys = 20, 5
	var misses atomic.Int64
	var calling sync.WaitGroup
	for _, e := range edges {
		for i := range callers * keys {
			calling.Go(func() {
				key := strconv.Itoa(i % keys)
				found, err := e.facts.Get(t.Context(), key)
				if err != nil || found.Value != "profile of "+key {
					t.Errorf("%s: %q, %v", key, found.Value, err)
				}
				if !found.Hit {
					misses.Add(1)
				}
			})
		}
	}

	calling.Wait()
	if n := edges[0].asked.Load() + edges[1].asked.Load() + edges[2].asked.Load(); n != keys {
		t.Errorf("the registry was asked %d times for %d keys", n, keys)
	}
	if n := misses.Load(); n < keys || n > keys*callers {
		t.Errorf("%d misses, want only those of the edge that asked the registry: %d to %d", n, keys, keys*callers)
	}
	if found, err := edges[0].facts.Get(t.Context(), "late"); err != nil || found.Hit {
		t.Errorf("the first edge: %+v, %v", found, err)
	}

	for _, e := range edges[1:] {
		testkit.Until(t, "a hit", func() bool { // the first edge writes in the background
			found, err := e.facts.Get(t.Context(), "late")
			return err == nil && found.Hit
		})
	}
}
