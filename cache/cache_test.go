package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/testkit"
)

var errUnknown = errors.New("the registry does not know it")

// through puts a cache in front of a fact that does not depend on the demand.
func through[K comparable, V any](c *Cache, kind Kind, fetch func(context.Context, K) (V, error)) *Facts[K, V] {
	return Through(c, kind, Plain(fetch))
}

// company is a kind with every lifetime set.
var company = Kind{
	Name: "company", Fresh: 24 * time.Hour, StaleWhileRevalidate: 24 * time.Hour, StaleIfError: 30 * 24 * time.Hour,
	Unknown: 6 * time.Hour, ErrUnknown: errUnknown,
}

// registry counts its calls and returns a value or an error.
type registry struct {
	asked atomic.Int64
	err   atomic.Pointer[error]
	delay time.Duration
}

func (r *registry) fetch(ctx context.Context, key taxID) (string, error) {
	n := r.asked.Add(1)
	if r.delay > 0 {
		select {
		case <-time.After(r.delay):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}

	if err := r.err.Load(); err != nil {
		return "", *err
	}

	return fmt.Sprintf("%s, answer %d", key, n), nil
}

// pass advances the fake clock.
func pass(d time.Duration) { <-time.After(d) }

func (r *registry) fail(err error) { r.err.Store(&err) }
func (r *registry) recover()       { r.err.Store(nil) }

func (r *registry) wantAsked(t *testing.T, n int64) {
	t.Helper()
	if got := r.asked.Load(); got != n {
		t.Errorf("the registry was asked %d times, want %d", got, n)
	}
}

// want checks one call of Get.
func want(t *testing.T, f *Facts[taxID, string], key taxID, value string, hit, stale bool) Found[string] {
	t.Helper()
	found, err := f.Get(t.Context(), key)
	if err != nil {
		t.Errorf("Get(%s): %v", key, err)
	}
	if found.Value != value || found.Hit != hit || found.Stale != stale {
		t.Errorf("Get(%s) = %q, hit %t, stale %t; want %q, hit %t, stale %t", key, found.Value, found.Hit, found.Stale,
			value, hit, stale)
	}

	return found
}

// levels runs a test on a fake clock, in memory only and with a file.
func levels(t *testing.T, test func(t *testing.T, c *Cache)) {
	for name, path := range map[string]bool{"memory only": false, "with a file": true} {
		t.Run(name, func(t *testing.T) {
			file := ""
			if path {
				file = t.TempDir() + "/cache.db"
			}

			synctest.Test(t, func(t *testing.T) {
				test(t, open(t, Options{Path: file}))
			})
		})
	}
}

func TestStates(t *testing.T) {
	down := errors.New("the registry is down")
	const first, second = "14399840, answer 1", "14399840, answer 2"
	for name, test := range map[string]struct {
		age        time.Duration
		down       bool
		delay      time.Duration
		value      string // result of the call at that age
		hit, stale bool
		then       string // value of a call shortly afterwards
		err        error
	}{
		"fresh": {age: 21 * time.Hour, value: first, hit: true, then: first},
		"a little late": {age: 27 * time.Hour, value: first, hit: true, stale: true,
			then: second},
		"a little late, registry down": {age: 27 * time.Hour, down: true, value: first, hit: true,
			stale: true, then: first},
		"late, refreshed": {age: 52 * time.Hour, value: second, then: second},
		"late, refreshed within patience": {age: 52 * time.Hour, delay: time.Second, value: second,
			then: second},
		"late, registry down": {age: 52 * time.Hour, down: true, value: first, hit: true,
			stale: true, then: first},
		"late, registry slower than patience": {age: 52 * time.Hour, delay: 2 * time.Second, value: first, hit: true,
			stale: true, then: second},
		"late by nearly 30 days, registry down": {age: 30 * 24 * time.Hour, down: true, value: first, hit: true,
			stale: true, then: first},
		"late by over 30 days":                {age: 32 * 24 * time.Hour, value: second, then: second},
		"late by over 30 days, registry down": {age: 32 * 24 * time.Hour, down: true, err: down},
		"late by over 30 days, and slow": {age: 32 * 24 * time.Hour, delay: 20 * time.Second, value: second,
			then: second},
		"late by over 30 days, beyond a timeout": {age: 32 * 24 * time.Hour, delay: 40 * time.Second,
			err: context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			levels(t, func(t *testing.T, c *Cache) {
				r := new(registry)
				f := through(c, company, r.fetch)
				want(t, f, 14399840, first, false, false)
				want(t, f, 14399840, first, true, false)
				pass(test.age)
				if test.down {
					r.fail(down)
				}

				r.delay = test.delay
				if test.err != nil {
					if _, err := f.Get(t.Context(), 14399840); !errors.Is(err, test.err) {
						t.Errorf("error %v, want %v", err, test.err)
					}
					return
				}

				want(t, f, 14399840, test.value, test.hit, test.stale)
				pass(3 * time.Second)
				want(t, f, 14399840, test.then, true, test.then == first && test.stale)
			})
		})
	}
}

func TestFoundTellsItsAge(t *testing.T) {
	levels(t, func(t *testing.T, c *Cache) {
		f := through(c, company, new(registry).fetch)
		begin := time.Now()
		f.Get(t.Context(), 14399840)
		pass(time.Hour)
		found, _ := f.Get(t.Context(), 14399840)
		if !found.RetrievedAt.Equal(begin) || found.RetrievedAt.Location() != time.UTC {
			t.Errorf("retrieved at %s, want %s in UTC", found.RetrievedAt, begin)
		}
		if life := found.FreshUntil.Sub(begin); life < 21*time.Hour || life > 27*time.Hour {
			t.Errorf("fresh for %s, want 24h, 10 %% more or less", life)
		}
	})
}

// Lifetimes are spread at random. The lifetime that a value determines itself is only shortened.
func TestLifetimesAreSpread(t *testing.T) {
	for name, c := range map[string]struct {
		spread         func(time.Duration) time.Duration
		from, to, most time.Duration
	}{"jitter": {jitter, 90 * time.Hour, 110 * time.Hour, 94 * time.Hour},
		"shorter": {shorter, 90 * time.Hour, 100 * time.Hour, 95 * time.Hour}} {
		shortest, longest := c.to, c.from
		for range 1000 {
			d := c.spread(100 * time.Hour)
			shortest, longest = min(shortest, d), max(longest, d)
		}
		if shortest < c.from || longest > c.to || shortest > c.most || longest < c.most || c.spread(0) != 0 {
			t.Errorf("%s: 100h become %s to %s", name, shortest, longest)
		}
	}
}

func TestStampedeFetchesOnce(t *testing.T) {
	levels(t, func(t *testing.T, c *Cache) {
		r := &registry{delay: time.Second}
		f := through(c, company, r.fetch)
		var callers sync.WaitGroup
		for range 1000 {
			callers.Go(func() { want(t, f, 14399840, "14399840, answer 1", false, false) })
		}

		callers.Wait()
		r.wantAsked(t, 1)
		want(t, f, 14399840, "14399840, answer 1", true, false)
		k := c.Stats().Kinds["company"]
		if k.Misses != 1 || k.Collapsed != 999 || k.Fresh != 1 {
			t.Errorf("counted %+v, want 1 miss, 999 collapsed, 1 fresh", k)
		}
	})
}

func TestFlightAfterLandingDoesNotFetch(t *testing.T) {
	c := open(t, Options{})
	r := new(registry)
	f := through(c, company, r.fetch)
	late := f.fetcher(f.hash(14399840), 14399840) // for a caller that has just missed
	want(t, f, 14399840, "14399840, answer 1", false, false)
	if got, err := late(t.Context(), Demand{}); err != nil || got.value != "14399840, answer 1" {
		t.Errorf("got %+v, %v", got, err)
	}

	r.wantAsked(t, 1)
}

// TestFetchIsFinishedWithoutItsCallers verifies that a request on the wire is finished and its answer stored although
// all callers left, and that the registry is not queried again meanwhile.
func TestFetchIsFinishedWithoutItsCallers(t *testing.T) {
	levels(t, func(t *testing.T, c *Cache) {
		r := &registry{delay: time.Second}
		f := through(c, company, r.fetch)
		var wg sync.WaitGroup
		for _, patience := range []time.Duration{100 * time.Millisecond, 200 * time.Millisecond} {
			wg.Go(func() { leaveAfter(t, f, patience) })
		}

		wg.Wait()
		pass(300 * time.Millisecond)
		leaveAfter(t, f, 100*time.Millisecond) // joins and leaves after the others
		begin := time.Now()
		want(t, f, 14399840, "14399840, answer 1", false, false)
		if took := time.Since(begin); took != 400*time.Millisecond {
			t.Errorf("a later caller waited %s, want 400ms for the end of the same fetch", took)
		}

		pass(time.Second)
		want(t, f, 14399840, "14399840, answer 1", true, false)
		r.wantAsked(t, 1)
		if s := c.Stats().Kinds["company"]; s.Failures != 0 {
			t.Errorf("counted %d failures, want none", s.Failures)
		}
	})
}

// leaveAfter requests 14399840 and leaves without an answer.
func leaveAfter(t *testing.T, f *Facts[taxID, string], patience time.Duration) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := f.Get(ctx, 14399840); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a caller left with %v, want its own deadline", err)
	}
}

// TestAbandonedFetchLeavesTheQueue verifies that a queued fetch is told at once when its last caller leaves. A caller
// who joins just before the fetch is dropped gets a new fetch.
func TestAbandonedFetchLeavesTheQueue(t *testing.T) {
	levels(t, func(t *testing.T, c *Cache) {
		r := new(registry)
		dropped := make(chan time.Time, 1)
		queued := true
		f := Through(c, company, func(ctx context.Context, key taxID, d Demand) (string, error) {
			if queued {
				queued = false
				<-d.Abandoned()
				dropped <- time.Now()
				pass(50 * time.Millisecond)
				return "", fmt.Errorf("the last caller has left: %w", ErrPutOff)
			}

			return r.fetch(ctx, key)
		})
		start := time.Now()
		var wg sync.WaitGroup
		for _, patience := range []time.Duration{100 * time.Millisecond, 200 * time.Millisecond} {
			wg.Go(func() { leaveAfter(t, f, patience) })
		}

		wg.Wait()
		if at := (<-dropped).Sub(start); at != 200*time.Millisecond {
			t.Errorf("the fetch was abandoned after %v, want 200ms, when the last caller left", at)
		}

		want(t, f, 14399840, "14399840, answer 1", false, false)
		if s := c.Stats().Kinds["company"]; s.Failures != 0 {
			t.Errorf("counted %d failures, want none", s.Failures)
		}
	})
}

// TestCallersWaitForAsLongAsTheKindAllows verifies that waiting is bounded, and that a late answer is still stored.
func TestCallersWaitForAsLongAsTheKindAllows(t *testing.T) {
	levels(t, func(t *testing.T, c *Cache) {
		kind := company
		kind.Wait = 12 * time.Second
		r := &registry{delay: 15 * time.Second}
		f := through(c, kind, r.fetch)
		begin := time.Now()
		if _, err := f.Get(t.Context(), 14399840); !errors.Is(err, context.DeadlineExceeded) ||
			time.Since(begin) != kind.Wait {
			t.Errorf("got %v after %s", err, time.Since(begin))
		}

		pass(4 * time.Second)
		want(t, f, 14399840, "14399840, answer 1", true, false)
	})
}

func TestFetchThatPanicsIsAnError(t *testing.T) {
	for name, fetch := range map[string]func(context.Context, taxID) (string, error){
		"panic":  func(context.Context, taxID) (string, error) { panic("a page without a body") },
		"goexit": func(context.Context, taxID) (string, error) { runtime.Goexit(); return "", nil },
	} {
		t.Run(name, func(t *testing.T) {
			c := open(t, Options{})
			f := through(c, company, fetch)
			for range 2 {
				if _, err := f.Get(t.Context(), 14399840); err == nil ||
					!strings.Contains(err.Error(), "fetching company:14399840") {
					t.Errorf("error %v, want one that names the fetch", err)
				}
			}
		})
	}
}

func TestUnknownIsRemembered(t *testing.T) {
	levels(t, func(t *testing.T, c *Cache) {
		r := new(registry)
		f := through(c, company, r.fetch)
		r.fail(fmt.Errorf("asking for it: %w", errUnknown))
		for i, hit := range []bool{false, true, true} {
			found, err := f.Get(t.Context(), 14399840)
			if !errors.Is(err, errUnknown) || found.Hit != hit || found.RetrievedAt.IsZero() {
				t.Errorf("call %d: hit %t, retrieved %s, error %v", i, found.Hit, found.RetrievedAt, err)
			}
		}

		r.wantAsked(t, 1)
		pass(7 * time.Hour)
		r.recover()
		want(t, f, 14399840, "14399840, answer 2", false, false)
	})
}

func TestOtherErrorsAreNotRemembered(t *testing.T) {
	levels(t, func(t *testing.T, c *Cache) {
		r := new(registry)
		f := through(c, company, r.fetch)
		r.fail(errors.New("502 Bad Gateway"))
		for range 3 {
			if _, err := f.Get(t.Context(), 14399840); err == nil {
				t.Error("no error")
			}
		}

		r.wantAsked(t, 3)
	})
}

func TestUnknownReplacesAValue(t *testing.T) {
	for name, age := range map[string]time.Duration{"behind the caller": 27 * time.Hour,
		"while the caller waits": 52 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			levels(t, func(t *testing.T, c *Cache) {
				r := new(registry)
				f := through(c, company, r.fetch)
				f.Get(t.Context(), 14399840)
				pass(age)
				r.fail(errUnknown)
				f.Get(t.Context(), 14399840)
				pass(time.Second)
				if found, err := f.Get(t.Context(), 14399840); !errors.Is(err, errUnknown) || !found.Hit {
					t.Errorf("found %+v, error %v; want a remembered unknown", found, err)
				}
				if _, ok := f.Peek(14399840); ok {
					t.Error("Peek still finds the value")
				}
			})
		})
	}
}

func TestRefreshesAreFewAndMarked(t *testing.T) {
	levels(t, func(t *testing.T, c *Cache) {
		var marked atomic.Int64
		r := new(registry)
		f := Through(c, company, func(ctx context.Context, key taxID, d Demand) (string, error) {
			if d.Urgency() == Background {
				marked.Add(1)
			}
			return r.fetch(ctx, key)
		})
		for key := range taxID(20) {
			f.Get(t.Context(), key)
		}

		pass(27 * time.Hour)
		r.fail(errors.New("down"))
		r.delay = time.Second
		for range 50 {
			for key := range taxID(20) {
				f.Get(t.Context(), key)
			}
		}

		pass(2 * time.Second)
		r.wantAsked(t, 20+refreshers)
		if marked.Load() != refreshers {
			t.Errorf("%d of %d refreshes were marked as such", marked.Load(), refreshers)
		}
		if s := c.Stats(); s.RefreshesDropped == 0 || s.Kinds["company"].Failures != refreshers {
			t.Errorf("counted %+v", s)
		}

		for range 9 { // one attempt in ten seconds
			f.Get(t.Context(), 0)
			pass(time.Second)
		}
		if got := r.asked.Load(); got > 20+refreshers+1 {
			t.Errorf("a registry that is down was asked %d more times in 9 s", got-20-refreshers)
		}

		r.recover()
		pass(refreshPause)
		f.Get(t.Context(), 0)
		pass(2 * time.Second)
		if found, _ := f.Get(t.Context(), 0); found.Stale {
			t.Error("the refreshers did not come back from their failures")
		}
	})
}

func TestPutNeverGoesBack(t *testing.T) {
	levels(t, func(t *testing.T, c *Cache) {
		f := through(c, company, new(registry).fetch)
		now := time.Now()
		f.Put(14399840, "of today", now)
		f.Put(14399840, "of yesterday", now.Add(-24*time.Hour))
		want(t, f, 14399840, "of today", true, false)
		c.memory.Del(f.hash(14399840))
		want(t, f, 14399840, "of today", true, false) // the lower levels agree
		f.Put(14399840, "of later", now.Add(time.Second))
		want(t, f, 14399840, "of later", true, false)
	})
}

// TestClockSkew verifies that entries stored with clock skew are misses at every level, and are replaced by newer ones.
func TestClockSkew(t *testing.T) {
	for name, inMemory := range map[string]bool{"in memory": true, "in the queue": false} {
		t.Run(name, func(t *testing.T) {
			levels(t, func(t *testing.T, c *Cache) {
				f := through(c, company, new(registry).fetch)
				f.Put(14399840, "of a year ahead", time.Now().AddDate(1, 0, 0))
				if !inMemory {
					c.memory.Del(f.hash(14399840))
				}
				if found, ok := f.Peek(14399840); ok {
					t.Errorf("found %+v", found)
				}

				want(t, f, 14399840, "14399840, answer 1", false, false)
				want(t, f, 14399840, "14399840, answer 1", true, false)
				c.memory.Del(f.hash(14399840))
				want(t, f, 14399840, "14399840, answer 1", true, false) // the lower levels agree
			})
		})
	}
}

func TestDeleteForgetsInEveryLevel(t *testing.T) {
	levels(t, func(t *testing.T, c *Cache) {
		r := new(registry)
		f := through(c, company, r.fetch)
		for _, pause := range []time.Duration{0, time.Second} { // queued, written
			f.Get(t.Context(), 14399840)
			pass(pause)
			if err := f.Delete(t.Context(), 14399840); err != nil {
				t.Error(err)
			}

			pass(time.Second)
			if found, ok := f.Peek(14399840); ok {
				t.Errorf("found %q after Delete", found.Value)
			}
		}

		f.Get(t.Context(), 14399840)
		r.wantAsked(t, 3)
	})
}

func TestPeekNeverAsks(t *testing.T) {
	levels(t, func(t *testing.T, c *Cache) {
		r := new(registry)
		f := through(c, company, r.fetch)
		if found, ok := f.Peek(14399840); ok {
			t.Errorf("found %+v in an empty cache", found)
		}

		f.Put(14399840, "old", time.Now().Add(-100*24*time.Hour))
		if found, ok := f.Peek(14399840); !ok || found.Value != "old" || !found.Stale || !found.Hit {
			t.Errorf("found %+v, %t; want the old one, stale", found, ok)
		}

		r.wantAsked(t, 0)
	})
}

func TestNextCallIsAHitEvenIfMemoryTurnsTheKeyAway(t *testing.T) {
	for name, test := range map[string]struct {
		bytes int64
		file  bool
	}{
		"full of hot keys":              {256 << 10, false},
		"full of hot keys, with a file": {256 << 10, true},
		"no room for any":               {2 << 10, false},
		"no room for any, with a file":  {2 << 10, true},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{MaxBytes: test.bytes}
			if test.file {
				o.Path = t.TempDir() + "/cache.db"
			}

			c := open(t, o)
			r := new(registry)
			f := through(c, company, r.fetch)
			if test.bytes > 2<<10 {
				for range 20 {
					for key := range taxID(300) {
						f.Get(t.Context(), key)
					}
				}
			}

			asked, away := r.asked.Load(), 0
			for key := taxID(10_000); key < 11_000; key++ {
				f.Get(t.Context(), key)
				if f.memoryEntry(f.hash(key), key) == nil {
					away++
				}
				if found, _ := f.Get(t.Context(), key); !found.Hit {
					t.Fatalf("the second call for %s asked the registry", key)
				}
			}

			r.wantAsked(t, asked+1000)
			if away == 0 {
				t.Skip("memory took all: the race detector keeps ristretto from learning which keys are hot")
			}
		})
	}
}

func TestKeysThatCollideKeepTheirValues(t *testing.T) {
	for name, file := range map[string]bool{"memory only": false, "with a file": true} {
		t.Run(name, func(t *testing.T) {
			o := Options{keyToHash: func(uint64) (uint64, uint64) { return 1, 0 }}
			if file {
				o.Path = t.TempDir() + "/cache.db"
			}

			c := open(t, o)
			name := func(_ context.Context, key taxID) (string, error) { return key.String(), nil }
			companies := through(c, company, name)
			others := through(c, Kind{Name: "other", Fresh: time.Hour},
				func(_ context.Context, key taxID) (string, error) {
					return "other " + key.String(), nil
				})
			for range 3 {
				for key := range taxID(50) {
					if found, err := companies.Get(t.Context(), key); err != nil || found.Value != key.String() {
						t.Fatalf("%s has %q, %v", key, found.Value, err)
					}
				}

				for key := taxID(49); key >= 0; key-- { // the last key of one kind is the first of the other
					if found, err := others.Get(t.Context(), key); err != nil || found.Value != "other "+key.String() {
						t.Fatalf("other %s has %q, %v", key, found.Value, err)
					}
				}
			}

			if k := c.Stats().Kinds["company"]; k.Misses != 50 {
				t.Errorf("%d misses, want 50: the levels below keep collided keys", k.Misses)
			}
		})
	}
}

func TestMemoLivesWithItsEntry(t *testing.T) {
	levels(t, func(t *testing.T, c *Cache) {
		f := through(c, company, new(registry).fetch)
		derived := 0
		derive := func(v string) any { derived++; return "encoded " + v }
		for range 3 {
			found, _ := f.Get(t.Context(), 14399840)
			if got := found.Memo(derive); got != "encoded 14399840, answer 1" {
				t.Errorf("memo %v", got)
			}
		}

		if derived != 1 {
			t.Errorf("derived %d times, want once", derived)
		}

		f.Put(14399840, "another", time.Now().Add(time.Second))
		if found, _ := f.Get(t.Context(), 14399840); found.Memo(derive) != "encoded another" {
			t.Error("the memo outlived its entry")
		}
		if none := (&Found[string]{Value: "x"}); none.Memo(derive) != "encoded x" {
			t.Error("a Found without an entry has no memo")
		}
	})
}

func TestValueThatCannotBeStoredIsStillAnswered(t *testing.T) {
	log := new(bytes.Buffer)
	c := open(t, Options{Logger: slog.New(slog.NewTextHandler(log, nil))})
	f := through(c, company, func(context.Context, taxID) (string, error) { return strings.Repeat("x", maxEntry), nil })
	for range 2 {
		if found, err := f.Get(t.Context(), 14399840); err != nil || len(found.Value) != maxEntry || found.Hit {
			t.Errorf("%d bytes, hit %t, %v", len(found.Value), found.Hit, err)
		}
	}

	if c.Stats().Uncacheable != 2 || !strings.Contains(log.String(), "exceed") {
		t.Errorf("counted %d, logged %q", c.Stats().Uncacheable, log)
	}
}

func TestNewFactsShareEntries(t *testing.T) {
	c := open(t, Options{})
	r := new(registry)
	want(t, through(c, company, r.fetch), 14399840, "14399840, answer 1", false, false)
	want(t, through(c, company, r.fetch), 14399840, "14399840, answer 1", true, false)
	r.wantAsked(t, 1)
}

func TestEntriesAreCounted(t *testing.T) {
	c := open(t, Options{MaxBytes: 64 << 10})
	f := through(c, company, new(registry).fetch)
	for key := range taxID(500) {
		f.Get(t.Context(), key)
		f.Put(key, "again", time.Now())
	}

	inMemory := int64(0)
	c.memory.IterValues(func(*entry) bool { inMemory++; return false })
	if s := c.Stats(); s.Entries != inMemory || inMemory == 0 || s.Bytes <= 0 || s.Bytes > 64<<10 {
		t.Errorf("counted %d entries of %d bytes, memory has %d", s.Entries, s.Bytes, inMemory)
	}

	f.Delete(t.Context(), 0)
}

func TestKindNeedsAName(t *testing.T) {
	c := open(t, Options{})
	for _, name := range []string{"", "a:b"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("the name %q was accepted", name)
				}
			}()
			through(c, Kind{Name: name}, new(registry).fetch)
		}()
	}
}

func TestCloseEndsFetches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := Open(Options{})
		testkit.NoError(t, err)

		r := &registry{delay: time.Hour}
		f := through(c, company, r.fetch)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		f.Get(ctx, 14399840)
		begin := time.Now()
		if err := c.Close(); err != nil || time.Since(begin) != 0 {
			t.Errorf("closing took %s, %v", time.Since(begin), err)
		}
		if _, err := f.Get(t.Context(), 14399840); !errors.Is(err, errClosed) {
			t.Errorf("a closed cache answers %v", err)
		}
	})
}

func TestOpenRefusesNegativeMemory(t *testing.T) {
	if _, err := Open(Options{MaxBytes: -1}); err == nil {
		t.Error("opened with -1 bytes")
	}
}

// TestPrefetch verifies that Prefetch fetches a key once, without a waiting caller, and that the number of prefetches
// is bounded.
func TestPrefetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, Options{})
		var asked, inBackground atomic.Int64
		release := make(chan struct{})
		facts := Through(c, Kind{Name: "fact", Fresh: time.Hour},
			func(_ context.Context, key int, d Demand) (int, error) {
				asked.Add(1)
				if d.Urgency() == Background {
					inBackground.Add(1)
				}

				<-release
				return key, nil
			})
		for range 2 {
			for key := range 3 * maxPrefetches {
				facts.Prefetch(t.Context(), key)
			}
		}

		synctest.Wait()
		if asked.Load() != maxPrefetches || inBackground.Load() != maxPrefetches {
			t.Errorf("%d fetches, %d of them in the background, want %d", asked.Load(), inBackground.Load(),
				maxPrefetches)
		}

		close(release)
		synctest.Wait()
		if found, ok := facts.Peek(7); !ok || found.Value != 7 {
			t.Errorf("got %+v, %v", found, ok)
		}

		for range 2 * maxPrefetches { // stored keys take no slots
			facts.Prefetch(t.Context(), 7)
		}

		facts.Prefetch(t.Context(), 3*maxPrefetches)
		synctest.Wait()
		if asked.Load() != maxPrefetches+1 {
			t.Errorf("%d fetches: stored keys were fetched again, or new keys were not fetched", asked.Load())
		}
	})
}

// TestPrefetchOfUnknownKey verifies that Prefetch fetches an unknown key again only after its ErrUnknown has expired.
func TestPrefetchOfUnknownKey(t *testing.T) {
	levels(t, func(t *testing.T, c *Cache) {
		r := new(registry)
		f := through(c, company, r.fetch)
		r.fail(errUnknown)
		f.Get(t.Context(), 14399840)
		r.recover()
		for _, asked := range []int64{1, 2} { // after 5 and 10 hours
			pass(5 * time.Hour)
			f.Prefetch(t.Context(), 14399840)
			synctest.Wait()
			r.wantAsked(t, asked)
		}

		want(t, f, 14399840, "14399840, answer 2", true, false)
	})
}

// sized estimates its own memory.
type sized struct{ Text string }

func (sized) Size() int64 { return 10_000 }

func TestSizedValueDeterminesItsCost(t *testing.T) {
	c := open(t, Options{})
	facts := through(c, Kind{Name: "k", Fresh: time.Hour}, func(context.Context, string) (sized, error) {
		return sized{"one"}, nil
	})
	found, err := facts.Get(t.Context(), "key")
	if err != nil || found.entry.cost != 10_000+overhead {
		t.Errorf("got %+v, %v", found, err)
	}
}

// lasting determines its own lifetime.
type lasting time.Duration

func (l lasting) Lasts() time.Duration { return time.Duration(l) }

// TestLasting verifies that a value may have a different lifetime from its kind's, which is never exceeded.
func TestLasting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		facts := through(open(t, Options{}), Kind{Name: "lasting", Fresh: 24 * time.Hour},
			func(context.Context, int) (lasting, error) {
				asked++
				return lasting(time.Hour), nil
			})
		for _, want := range []int{100, 100, 200} {
			for key := range 100 {
				found, err := facts.Get(t.Context(), key)
				if life := found.FreshUntil.Sub(found.RetrievedAt); err != nil || life > time.Hour {
					t.Errorf("fresh for %s, %v", life, err)
				}
			}
			if asked != want {
				t.Errorf("the registry was asked %d times, want %d", asked, want)
			}

			pass(40 * time.Minute)
		}
	})
}
