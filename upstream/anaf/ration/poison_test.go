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

	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/anaf"
)

// poisoned makes a register fail on calls that include one of the numbers.
func poisoned(r *ledger, cause error, numbers ...int) {
	r.fail = func(cuis []ro.CUI) error {
		for _, n := range numbers {
			if slices.Contains(cuis, invented.CUI(n)) {
				return broken(cause)
			}
		}

		return nil
	}
}

// behindBreaker runs a test of a Lookup behind a breaker, after a first successful call.
func behindBreaker(t *testing.T, r *ledger, test func(t *testing.T, l *Lookup, b *upstream.Breaker)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := upstream.NewBreaker(anaf.Registry, upstream.BreakerSettings{})
		l := NewLookup(upstream.Guard(b, r.fetch), LookupOptions{})
		defer l.Close()
		if _, err := l.Company(t.Context(), today(invented.CUI(9999)), cache.Demand{}); err != nil {
			t.Fatal(err)
		}

		test(t, l, b)
	})
}

// guarded runs a test of a Lookup behind a breaker, which must stay closed.
func guarded(t *testing.T, r *ledger, test func(t *testing.T, l *Lookup, b *upstream.Breaker)) {
	t.Helper()
	behindBreaker(t, r, func(t *testing.T, l *Lookup, b *upstream.Breaker) {
		test(t, l, b)
		<-time.After(5 * time.Second) // for calls without waiting callers
		synctest.Wait()
		if b.State() != upstream.BreakerClosed {
			t.Errorf("the breaker is %s", b.State())
		}

		r.checkPace(t)
		if n := l.remaining(); n != 0 {
			t.Errorf("%d requests are left", n)
		}
	})
}

func TestPoisonInAFullBatchSparesItsNeighbours(t *testing.T) {
	for name, cause := range map[string]error{
		"rejected":         upstream.ErrRejected,
		"firewall":         errors.New("the firewall rejected the request"),
		"connection reset": upstream.ErrConnection,
	} {
		t.Run(name, func(t *testing.T) {
			longest := time.Duration(0)
			for poison := range 100 {
				r := &ledger{latency: 500 * time.Millisecond}
				poisoned(r, cause, poison)
				guarded(t, r, func(t *testing.T, l *Lookup, _ *upstream.Breaker) {
					var callers sync.WaitGroup
					began := time.Now()
					run(&callers, 1, l, 0, 100, func(i int, err error) {
						switch {
						case i == poison:
							wantKind(t, err, op.Broken)
						case err != nil:
							t.Errorf("neighbour %d of %d: %v", i, poison, err)
						default:
							longest = max(longest, time.Since(began))
						}
					})
					callers.Wait()
				})
			}

			t.Logf("the last neighbour waited %s", longest)
		})
	}
}

func TestPoisonUnderLoad(t *testing.T) {
	r := &ledger{latency: 300 * time.Millisecond, jitter: 200 * time.Millisecond}
	const poison = 500
	poisoned(r, errors.New("the firewall rejected the request"), poison)
	guarded(t, r, func(t *testing.T, l *Lookup, _ *upstream.Breaker) {
		var took []time.Duration
		var mu sync.Mutex
		var callers sync.WaitGroup
		for i := range 60 * 90 {
			callers.Go(func() {
				began := time.Now()
				_, err := l.Company(as(i%10), today(invented.CUI(i)), cache.Demand{})
				mu.Lock()
				defer mu.Unlock()
				if i == poison {
					if err == nil {
						t.Error("the bad number got an answer")
					}
					return
				}

				if err != nil {
					t.Errorf("%d: %v", i, err)
				}

				took = append(took, time.Since(began))
			})
			<-time.After(time.Second / 90)
		}

		callers.Wait()
		<-time.After(5 * time.Second) // for the call without waiting callers
		synctest.Wait()
		if !l.bisector.isQuarantined(today(invented.CUI(poison)), time.Now()) {
			t.Error("the bad number was not found")
		}

		slices.Sort(took)
		t.Logf("p50 %s, p99 %s, longest %s", took[len(took)/2], took[len(took)*99/100], took[len(took)-1])
	})
}

// The callers arrive one after the other, because the number of calls needed to find both numbers depends on their
// positions in the batch. At the very beginning of the batch, it takes 12 calls, and three neighbours would exceed the
// deadline.
func TestTwoPoisonsInABatch(t *testing.T) {
	for _, poison := range [][2]int{{3, 12}, {0, 15}, {7, 8}, {14, 15}} {
		t.Run(fmt.Sprint(poison), func(t *testing.T) {
			r := &ledger{latency: 300 * time.Millisecond}
			poisoned(r, upstream.ErrRejected, poison[0], poison[1])
			guarded(t, r, func(t *testing.T, l *Lookup, _ *upstream.Breaker) {
				var callers sync.WaitGroup
				for i := range 16 {
					run(&callers, 1, l, i, i+1, func(i int, err error) {
						if bad := i == poison[0] || i == poison[1]; bad != (err != nil) {
							t.Errorf("%d: %v", i, err)
						}
					})
				}

				callers.Wait()
			})
		})
	}
}

func TestSuspectsWhoLeave(t *testing.T) {
	const poison = 3
	for stays := range 4 {
		t.Run(fmt.Sprint(stays, " stays"), func(t *testing.T) {
			r := new(ledger)
			poisoned(r, upstream.ErrRejected, poison)
			guarded(t, r, func(t *testing.T, l *Lookup, _ *upstream.Breaker) {
				ctx, cancel := context.WithCancel(t.Context())
				var callers sync.WaitGroup
				for i := range 4 {
					callers.Go(func() {
						if i != stays {
							l.Company(ctx, today(invented.CUI(i)), cache.Demand{})
						} else if _, err := l.Company(t.Context(), today(invented.CUI(i)),
							cache.Demand{}); i == poison {
							wantKind(t, err, op.Broken)
						} else if err != nil {
							t.Error(err)
						}
					})
				}

				<-time.After(1100 * time.Millisecond) // the batch has failed
				if s := l.Stats(); s.Split != 1 || s.Again == 0 {
					t.Errorf("figures: %+v", s)
				}

				cancel()
				callers.Wait()
			})
		})
	}
}

func TestKnownPoisonDoesNotOpenTheBreaker(t *testing.T) {
	r := &ledger{latency: 300 * time.Millisecond}
	poisoned(r, errors.New("the firewall rejected the request"), 1)
	guarded(t, r, func(t *testing.T, l *Lookup, _ *upstream.Breaker) {
		var callers sync.WaitGroup
		run(&callers, 1, l, 0, 100, func(int, error) {})
		callers.Wait()
		for range 10 {
			_, err := l.Company(t.Context(), today(invented.CUI(1)), cache.Demand{})
			wantKind(t, err, op.Broken)
		}
		if _, err := l.Company(t.Context(), today(invented.CUI(200)), cache.Demand{}); err != nil {
			t.Error(err)
		}
	})
}

func TestPanicFailsOnlyThoseWhoWaitForIt(t *testing.T) {
	r := new(ledger)
	r.fail = func(cuis []ro.CUI) error {
		if slices.Contains(cuis, invented.CUI(1)) {
			panic("a mistake of ours")
		}
		return nil
	}
	guarded(t, r, func(t *testing.T, l *Lookup, _ *upstream.Breaker) {
		var callers sync.WaitGroup
		run(&callers, 1, l, 0, 3, func(i int, err error) {
			var f *op.Failure
			if err == nil || errors.As(err, &f) {
				t.Errorf("%d: got %v, want an internal error", i, err)
			}
		})
		callers.Wait()
		if _, err := l.Company(t.Context(), today(invented.CUI(5)), cache.Demand{}); err != nil {
			t.Error(err)
		}
	})
}

func TestAccidentCostsTwoCalls(t *testing.T) {
	accidents := 1
	r := &ledger{}
	r.fail = func(cuis []ro.CUI) error {
		if len(cuis) > 1 && accidents > 0 {
			accidents--
			return broken(errors.New("status 520"))
		}
		return nil
	}
	guarded(t, r, func(t *testing.T, l *Lookup, _ *upstream.Breaker) {
		var callers sync.WaitGroup
		run(&callers, 1, l, 0, 100, wantNoError(t))
		callers.Wait()
		if len(r.called()) != 4 {
			t.Errorf("%d calls, want the first one, the failed one, and two more", len(r.called()))
		}
	})
}

func TestPoisonIsKeptApart(t *testing.T) {
	const poison = 50
	r := &ledger{latency: 300 * time.Millisecond}
	poisoned(r, errors.New("the firewall rejected the request"), poison)
	guarded(t, r, func(t *testing.T, l *Lookup, _ *upstream.Breaker) {
		// round requests a hundred numbers and returns the number of calls.
		round := func() int {
			// so that the rest fits into one call
			if _, err := l.Company(t.Context(), today(invented.CUI(9999)), cache.Demand{}); err != nil {
				t.Error(err)
			}

			before := len(r.called())
			var callers sync.WaitGroup
			run(&callers, 1, l, 0, 100, func(i int, err error) {
				if i == poison {
					wantKind(t, err, op.Broken)
				} else if err != nil {
					t.Errorf("%d: %v", i, err)
				}
			})
			callers.Wait()
			return len(r.called()) - before
		}
		round()
		if n := round(); n != 2 || len(r.called()[len(r.called())-1]) != 1 {
			t.Errorf("with a known bad number: %d calls, want one for the others and one for the bad number", n)
		}

		<-time.After(quarantineFor)
		if n := round(); n < 5 {
			t.Errorf("the number is quarantined for more than %s", quarantineFor)
		}
		if s := l.Stats(); s.Split != 2 {
			t.Errorf("counted %+v", s)
		}
	})
}

func TestRegisterThatIsDownOpensTheBreaker(t *testing.T) {
	for name, cause := range map[string]error{"firewall": errors.New("the firewall rejected the request"),
		"reset": upstream.ErrConnection} {
		t.Run(name, func(t *testing.T) {
			r := new(ledger)
			behindBreaker(t, r, func(t *testing.T, l *Lookup, b *upstream.Breaker) {
				r.fail = func([]ro.CUI) error { return broken(cause) }
				var callers sync.WaitGroup
				run(&callers, 1, l, 0, 200, func(i int, err error) {
					if err == nil {
						t.Errorf("company %d got an answer", i)
					}
				})
				callers.Wait()
				if n := len(r.called()); b.State() != upstream.BreakerOpen || n > 6 {
					t.Errorf("after %d calls the breaker is %s", n, b.State())
				}
				if len(l.bisector.quarantine) != 0 {
					t.Errorf("%d numbers are blamed for the outage", len(l.bisector.quarantine))
				}
			})
		})
	}
}
