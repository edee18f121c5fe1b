package cache

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/testkit"
)

// inBackground lists the ways to start a fetch before a caller requests its entry.
var inBackground = map[string]func(t *testing.T, f *Facts[taxID, string], key taxID){
	"prefetched": func(t *testing.T, f *Facts[taxID, string], key taxID) {
		for range 2 { // without a waiting caller
			f.Prefetch(t.Context(), key)
		}
	},
	"renewed ahead, and deleted": func(t *testing.T, f *Facts[taxID, string], key taxID) {
		f.Put(key, "of then", time.Now().Add(-lastPart))
		for range 3 {
			want(t, f, key, "of then", true, false)
		}
		testkit.NoError(t, f.Delete(t.Context(), key))
	},
}

// TestBackgroundFetchIsPromoted verifies that a background fetch is notified when a caller starts waiting, and that the
// caller does not start a second fetch.
func TestBackgroundFetchIsPromoted(t *testing.T) {
	for name, begin := range inBackground {
		t.Run(name, func(t *testing.T) {
			levels(t, func(t *testing.T, c *Cache) {
				r := &registry{delay: time.Second}
				f := Through(c, renewed, func(ctx context.Context, key taxID, d Demand) (string, error) {
					if d.Urgency() == Interactive {
						t.Error("the fetch started as Interactive")
					}

					select {
					case <-d.Attended():
					case <-time.After(20 * time.Second):
						t.Error("the fetch was not told that a caller is waiting")
					}

					if d.Urgency() != Interactive {
						t.Error("the fetch is not Interactive although a caller is waiting")
					}

					return r.fetch(ctx, key)
				})
				begin(t, f, 14399840)
				pass(10 * time.Second)
				began := time.Now()
				var callers sync.WaitGroup
				for range 3 {
					callers.Go(func() { want(t, f, 14399840, "14399840, answer 1", false, false) })
				}

				callers.Wait()
				if took := time.Since(began); took != r.delay {
					t.Errorf("took %s", took)
				}

				r.wantAsked(t, 1)
			})
		})
	}
}

func TestFetchOfACallerIsNotInTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := Through(open(t, Options{}), company, func(_ context.Context, _ taxID, d Demand) (string, error) {
			pass(time.Second)
			if d.Urgency() != Interactive || d.Attended() != nil {
				t.Error("a fetch that started for a caller counts as a background fetch")
			}
			return "an answer", nil
		})
		var caller sync.WaitGroup
		caller.Go(func() { want(t, f, 14399840, "an answer", false, false) })
		synctest.Wait()
		f.Prefetch(t.Context(), 14399840)
		caller.Wait()
	})
}

// TestCallerWhoJoinsIsAnswered verifies that a caller who joins a fetch that is about to be dropped still gets an
// answer.
func TestCallerWhoJoinsIsAnswered(t *testing.T) {
	for name, begin := range inBackground {
		t.Run(name, func(t *testing.T) {
			levels(t, func(t *testing.T, c *Cache) {
				r := new(registry)
				f := Through(c, renewed, func(ctx context.Context, key taxID, d Demand) (string, error) {
					if d.Urgency() != Interactive {
						pass(20 * time.Second)
						return "", fmt.Errorf("no place: %w", ErrPutOff)
					}
					return r.fetch(ctx, key)
				})
				begin(t, f, 14399840)
				pass(10 * time.Second)
				want(t, f, 14399840, "14399840, answer 1", false, false)
				r.wantAsked(t, 1)
			})
		})
	}
}

// TestCallerWaitsForAnotherProcess verifies that a caller who joins a refresh ahead gets an answer, like any other
// caller, even while another process holds the lock for fetching.
func TestCallerWaitsForAnotherProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := newShelf(), new(registry)
		s.slow = time.Second
		f := through(open(t, Options{}).Sharing(s), renewed, r.fetch)
		s.claims[sharedName("renewed:14399840")] = true
		inBackground["renewed ahead, and deleted"](t, f, 14399840)
		want(t, f, 14399840, "14399840, answer 1", false, false)
		r.wantAsked(t, 1)
	})
}
