package cache

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestRefreshesNeverGoBack verifies that readers never get an older copy than before while an entry is refreshed
// thousands of times, dropped from memory in between, and stored by other writers.
func TestRefreshesNeverGoBack(t *testing.T) {
	for name, c := range map[string]struct {
		rounds int64
		file   bool
	}{
		"10,000 rounds in memory": {rounds: 10_000},
		"200 rounds with a file":  {rounds: 200, file: true},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{}
			if c.file {
				o.Path = t.TempDir() + "/cache.db"
			}

			synctest.Test(t, func(t *testing.T) {
				rounds(t, open(t, o), c.rounds)
			})
		})
	}
}

// rounds runs concurrent readers until an entry has been refreshed a number of times.
func rounds(t *testing.T, c *Cache, n int64) {
	r := new(registry)
	kind := Kind{Name: "round", Fresh: time.Second, StaleWhileRevalidate: time.Hour}
	f := through(c, kind, func(ctx context.Context, key taxID) (string, error) {
		pass(rand.N(10 * time.Second)) // slower than other writers
		return r.fetch(ctx, key)
	})
	f.Put(14399840, "answer 0", time.Now())
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			var newest time.Time
			for r.asked.Load() < n {
				pass(rand.N(10 * time.Second))
				switch rand.N(20) {
				case 0:
					c.memory.Del(f.hash(14399840))
				case 1: // another process that is late in storing an old answer
					f.Put(14399840, "of another", time.Now().Add(-rand.N(20*time.Second)))
				}

				found, err := f.Get(t.Context(), 14399840)
				if err != nil || found.RetrievedAt.Before(newest) {
					t.Errorf("served a value retrieved at %s after one retrieved at %s: %v",
						found.RetrievedAt, newest, err)
					return
				}

				newest = found.RetrievedAt
			}
		})
	}

	readers.Wait()
}
