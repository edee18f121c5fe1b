package ration

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/upstream/anaf"
)

// as returns a context with the n-th invented account as its caller.
func as(n int) context.Context {
	return op.WithCaller(context.Background(), account.Caller{Key: &account.Key{Account: fmt.Sprint("account ", n)}})
}

// behind runs a test of lookups that wait for the pace after a call that has just been made.
func behind(t *testing.T, r *ledger, o LookupOptions, test func(t *testing.T, l *Lookup)) {
	t.Helper()
	bubble(t, r, o, func(t *testing.T, l *Lookup) {
		if _, err := l.Company(t.Context(), today(invented.CUI(9999)), cache.Demand{}); err != nil {
			t.Fatal(err)
		}

		test(t, l)
		r.checkPace(t)
	})
}

// inBackground looks up companies like the cache does to refresh entries in the background.
func inBackground(t *testing.T, l *Lookup, cuis ...ro.CUI) *cache.Facts[ro.CUI, *anaf.Record] {
	kind := cache.Kind{Name: "company", Fresh: time.Hour, StaleWhileRevalidate: time.Hour}
	facts := cached(t, kind, current(l.Company))
	for _, cui := range cuis {
		facts.Put(cui, recordOf(cui), time.Now().Add(-90*time.Minute))
		if found, err := facts.Get(t.Context(), cui); err != nil || !found.Stale {
			t.Fatal("not refreshed in the background: ", found, err)
		}
	}

	synctest.Wait()
	return facts
}

// run starts lookups of numbers for an account, and returns when all of them wait. It calls done after each lookup.
func run(callers *sync.WaitGroup, n int, l *Lookup, from, to int, done func(i int, err error)) {
	var mu sync.Mutex
	for i := from; i < to; i++ {
		callers.Go(func() {
			_, err := l.Company(as(n), today(invented.CUI(i)), cache.Demand{})
			mu.Lock()
			defer mu.Unlock()
			done(i, err)
		})
	}

	synctest.Wait()
}

func TestFloodOfOneCallerDelaysOthersByTwoBatches(t *testing.T) {
	r := &ledger{latency: 400 * time.Millisecond}
	behind(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
		var callers sync.WaitGroup
		run(&callers, 1, l, 0, 500, wantNoError(t))
		before := len(r.called())
		run(&callers, 2, l, 500, 501, wantNoError(t))
		callers.Wait()
		n := slices.IndexFunc(r.called(), func(b []ro.CUI) bool { return slices.Contains(b, invented.CUI(500)) })
		if n-before >= 2 {
			t.Errorf("%d batches preceded the single lookup", n-before)
		}
	})
}

func TestCallersTakeTurns(t *testing.T) {
	r := &ledger{}
	behind(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
		var callers sync.WaitGroup
		for n := range 3 {
			run(&callers, n, l, 200*n, 200*(n+1), wantNoError(t))
		}

		callers.Wait()
		count := map[int]int{}
		for _, cui := range r.batches[1] {
			count[int(cui-invented.CUI(0))/10/200]++
		}

		for n := range 3 {
			if count[n] < 33 {
				t.Errorf("the first batch has %d companies of caller %d", count[n], n)
			}
		}
	})
}

func TestInteractiveGoesBeforeRefresh(t *testing.T) {
	r := &ledger{}
	behind(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
		inBackground(t, l, invented.CUI(500))
		var callers sync.WaitGroup
		run(&callers, 1, l, 0, 100, func(int, error) {})
		if s := l.Stats(); s.Refresh != 1 || s.Interactive != 100 {
			t.Errorf("queued: %+v", s)
		}

		callers.Wait()
		if slices.Contains(r.called()[1], invented.CUI(500)) {
			t.Error("a refresh displaced a waiting caller")
		}

		<-time.After(2 * time.Second)
		if len(r.called()) != 3 || !slices.Equal(r.called()[2], []ro.CUI{invented.CUI(500)}) {
			t.Errorf("calls: %v", r.called()[2:])
		}
	})
}

func TestRefreshRidesInFreePlaces(t *testing.T) {
	r := &ledger{}
	behind(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
		inBackground(t, l, invented.CUI(500))
		if _, err := l.Company(t.Context(), today(invented.CUI(1)), cache.Demand{}); err != nil {
			t.Error(err)
		}
		if !slices.Equal(r.called()[1], []ro.CUI{invented.CUI(1), invented.CUI(500)}) {
			t.Errorf("calls: %v", r.called()[1:])
		}
	})
}

func TestRefreshIsLiftedByACallerWhoWaits(t *testing.T) {
	r := &ledger{}
	behind(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
		facts := inBackground(t, l, invented.CUI(500))
		var callers sync.WaitGroup
		run(&callers, 1, l, 0, 150, func(int, error) {})
		testkit.NoError(t, facts.Drop(invented.CUI(500)))

		callers.Go(func() { facts.Get(as(2), invented.CUI(500)) })
		synctest.Wait()
		if s := l.Stats(); s.Refresh != 0 || s.Interactive != 151 {
			t.Errorf("queued: %+v", s)
		}

		callers.Wait()
		if !slices.Contains(r.called()[1], invented.CUI(500)) {
			t.Error("the request still waits as a refresh")
		}
	})
}

func TestFullQueueMakesRoom(t *testing.T) {
	const room = 10
	behind(t, new(ledger), LookupOptions{Queue: room}, func(t *testing.T, l *Lookup) {
		var callers sync.WaitGroup
		yielded := 0
		run(&callers, 1, l, 0, room, func(i int, err error) {
			if err != nil {
				wantKind(t, err, op.Closed)
				yielded++
			}
		})
		run(&callers, 2, l, 500, 501, wantNoError(t))
		_, err := l.Company(as(1), today(invented.CUI(600)), cache.Demand{})
		wantKind(t, err, op.Closed)
		inBackground(t, l, invented.CUI(700))
		if s := l.Stats(); s.Refresh != 0 || s.Interactive != room || s.Refused != 3 {
			t.Errorf("queued: %+v", s)
		}

		callers.Wait()
		if yielded != 1 {
			t.Errorf("%d yielded", yielded)
		}
	})
}

func TestRefusalIsHonest(t *testing.T) {
	for _, queued := range []int{100, 101, 800} {
		t.Run(fmt.Sprint(queued, " before it"), func(t *testing.T) {
			behind(t, new(ledger), LookupOptions{Queue: queued}, func(t *testing.T, l *Lookup) {
				var callers sync.WaitGroup
				run(&callers, 1, l, 0, queued, func(int, error) {})
				_, err := l.Company(as(1), today(invented.CUI(5000)), cache.Demand{})
				var f *op.Failure
				if !errors.As(err, &f) {
					t.Fatal(err)
				}

				began := time.Now()
				callers.Wait()
				took := time.Since(began)
				if f.RetryAfter < took || f.RetryAfter > took+2*time.Second {
					t.Errorf("retry after %s, the queue was empty after %s", f.RetryAfter, took)
				}
			})
		})
	}
}
