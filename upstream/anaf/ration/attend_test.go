package ration

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/upstream/anaf"
)

// companies returns a cache in front of lookups.
func companies(t *testing.T, fetch cache.Loader[ro.CUI, *anaf.Record]) *cache.Facts[ro.CUI, *anaf.Record] {
	return cached(t, cache.Kind{Name: "company", Fresh: 100 * time.Hour, Ahead: 80 * time.Hour}, fetch)
}

// cached returns a cache in front of a fetch.
func cached[K comparable, V any](t *testing.T, kind cache.Kind, fetch cache.Loader[K, V]) *cache.Facts[K, V] {
	c, err := cache.Open(cache.Options{})
	testkit.NoError(t, err)

	t.Cleanup(func() { c.Close() })
	return cache.Through(c, kind, fetch)
}

// TestPromotedPrefetchGetsFullDeadline verifies that a caller who joins a long-waiting prefetch gets a full deadline.
func TestPromotedPrefetchGetsFullDeadline(t *testing.T) {
	r := &ledger{latency: 11500 * time.Millisecond}
	bubble(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
		facts := companies(t, current(l.Company))
		go l.Company(t.Context(), today(invented.CUI(1)), cache.Demand{}) // the next call begins a second later
		synctest.Wait()
		facts.Prefetch(t.Context(), invented.CUI(500))
		<-time.After(11 * time.Second)
		if _, err := facts.Get(t.Context(), invented.CUI(500)); err != nil {
			t.Error(err)
		}
		if calls := r.callsAbout(invented.CUI(500)); len(calls) != 1 {
			t.Errorf("calls %v asked about it", calls)
		}
	})
}

// TestCallerJoinsARenewalAhead verifies that a caller gets an answer for a company that has just been deleted and is
// being refreshed ahead, whether or not a call has a free slot.
func TestCallerJoinsARenewalAhead(t *testing.T) {
	for name, waiting := range map[string]int{"with a place to spare": 0, "without": 100} {
		t.Run(name, func(t *testing.T) {
			r := &ledger{}
			behind(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
				facts := companies(t, func(ctx context.Context, cui ro.CUI, d cache.Demand) (*anaf.Record, error) {
					c, err := l.Company(ctx, today(cui), d)
					<-time.After(10 * time.Millisecond) // the caller arrives after the rejection
					return c, err
				})
				var callers sync.WaitGroup
				run(&callers, 1, l, 0, waiting, wantNoError(t))
				facts.Put(invented.CUI(500), recordOf(invented.CUI(500)), time.Now().Add(-35*time.Hour))
				for range 2 {
					facts.Get(t.Context(), invented.CUI(500))
				}

				synctest.Wait()
				facts.Drop(invented.CUI(500))
				began := time.Now()
				if _, err := facts.Get(as(2), invented.CUI(500)); err != nil ||
					time.Since(began) > 1100*time.Millisecond {
					t.Errorf("answered after %s: %v", time.Since(began), err)
				}

				callers.Wait()
			})
		})
	}
}
