package ration

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/anaf"
)

// popular looks up companies like the cache does to refresh entries ahead of their expiry.
func popular(t *testing.T, l *Lookup, cuis ...ro.CUI) *cache.Facts[ro.CUI, *anaf.Record] {
	facts := companies(t, current(l.Company))
	for _, cui := range cuis {
		facts.Put(cui, recordOf(cui), time.Now().Add(-35*time.Hour))
		for range 2 {
			if found, err := facts.Get(t.Context(), cui); err != nil || found.Stale {
				t.Fatal("not served as fresh: ", found, err)
			}
		}
	}

	synctest.Wait()
	return facts
}

// callsAbout returns the indices of the calls that included a company.
func (r *ledger) callsAbout(cui ro.CUI) (calls []int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, b := range r.batches {
		if slices.Contains(b, cui) {
			calls = append(calls, i)
		}
	}

	return calls
}

// called returns the companies of each call so far.
func (r *ledger) called() [][]ro.CUI {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.batches)
}

func wantNoError(t *testing.T) func(i int, err error) {
	return func(i int, err error) {
		if err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func TestRenewedAheadRidesInAFreePlace(t *testing.T) {
	r := &ledger{}
	behind(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
		popular(t, l, invented.CUI(500))
		var callers sync.WaitGroup
		run(&callers, 1, l, 0, 99, wantNoError(t))
		callers.Wait()
		if calls := r.called(); len(calls) != 2 || len(calls[1]) != 100 || calls[1][99] != invented.CUI(500) {
			t.Errorf("the calls are %v, want one of 99 callers with the popular company at its end", calls[1:])
		}
	})
}

func TestRenewedAheadTakesNobodysPlace(t *testing.T) {
	t.Run("it came first", func(t *testing.T) {
		r := &ledger{}
		behind(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
			popular(t, l, invented.CUIs(500, 100)...)
			inBackground(t, l, invented.CUI(400))
			var callers sync.WaitGroup
			run(&callers, 1, l, 0, 99, wantNoError(t))
			callers.Wait()
			if calls := r.called(); len(calls) != 2 || slices.ContainsFunc(calls[1], func(cui ro.CUI) bool {
				return cui >= invented.CUI(500)
			}) {
				t.Errorf("the calls are %v, want one of 99 callers and a refresh", calls[1:])
			}
		})
	})
	t.Run("a batch is waiting", func(t *testing.T) {
		r := &ledger{}
		behind(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
			var callers sync.WaitGroup
			run(&callers, 1, l, 0, 100, wantNoError(t))
			popular(t, l, invented.CUI(500))
			callers.Wait()
			<-time.After(time.Minute)
			if calls := r.callsAbout(invented.CUI(500)); len(calls) > 0 {
				t.Errorf("calls %v asked about it", calls)
			}
			if s := l.Stats(); s.Refused != 0 || s.Ahead != 0 {
				t.Errorf("the figures are %+v, want nothing refused and nothing waiting", s)
			}
		})
	})
	t.Run("statements are waiting", func(t *testing.T) {
		r := &ledger{}
		behind(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
			popular(t, l, invented.CUI(500))
			statement := Paced(l, func(context.Context, int) (int, error) { return 0, nil })
			begin := time.Now()
			for i := range 8 {
				if _, err := statement(t.Context(), i, cache.Demand{}); err != nil {
					t.Error(err)
				}
			}

			if took := time.Since(begin); took > 8*l.options.Pace {
				t.Errorf("8 statements took %s beside a popular company", took)
			}
		})
	})
}

func TestRenewedAheadGetsACallWhenNothingElseIsAsked(t *testing.T) {
	r := &ledger{}
	behind(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
		for i := range 5 { // over 5 s
			popular(t, l, invented.CUI(500+i))
			<-time.After(time.Second)
		}
		if len(r.called()) != 1 {
			t.Errorf("the calls are %v, want the companies to gather", r.called())
		}

		<-time.After(2 * time.Second)
		if calls := r.called(); len(calls) != 2 || len(calls[1]) != 5 {
			t.Errorf("the calls are %v, want one for all five", calls[1:])
		}
		if s := l.Stats(); s.Ahead != 0 || s.Companies != 6 {
			t.Errorf("the figures are %+v", s)
		}
	})
}

func TestNothingIsRenewedAheadBehindAnOpenBreaker(t *testing.T) {
	r := &ledger{}
	var shut atomic.Bool
	shut.Store(true)
	bubble(t, r, LookupOptions{Shut: shut.Load}, func(t *testing.T, l *Lookup) {
		popular(t, l, invented.CUI(500))
		<-time.After(time.Minute)
		if len(r.called()) != 0 {
			t.Errorf("the calls are %v", r.called())
		}

		shut.Store(false)
		popular(t, l, invented.CUI(500))
		<-time.After(time.Minute)
		if len(r.called()) != 1 {
			t.Errorf("the calls are %v after the breaker has closed", r.called())
		}
	})
}

// TestRenewedAheadSpoilsNothing verifies that callers get their answers even if a popular company in their call makes
// the register fail. That company is not requested again.
func TestRenewedAheadSpoilsNothing(t *testing.T) {
	for name, cause := range map[string]error{
		"that the register rejects":     upstream.ErrRejected,
		"at which the connection fails": upstream.ErrConnection,
		"at which it shows a web page":  errors.New("a page"),
	} {
		for _, callers := range []int{0, 1, 99} {
			t.Run(name, func(t *testing.T) {
				r := &ledger{fail: func(cuis []ro.CUI) error {
					if slices.Contains(cuis, invented.CUI(500)) {
						return broken(cause)
					}
					return nil
				}}
				behind(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
					popular(t, l, invented.CUI(500))
					var waiting sync.WaitGroup
					run(&waiting, 1, l, 0, callers, wantNoError(t))
					waiting.Wait()
					<-time.After(time.Minute)
					if calls := r.callsAbout(invented.CUI(500)); len(calls) != 1 || len(r.called()) > 3 {
						t.Errorf("calls %v of %d asked about it, want one of at most three", calls, len(r.called()))
					}
				})
			})
		}
	}
}

func TestQuarantinedIsNotRenewedAhead(t *testing.T) {
	r := &ledger{}
	behind(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
		l.mu.Lock()
		l.bisector.isolate(today(invented.CUI(500)), time.Now())
		l.mu.Unlock()
		popular(t, l, invented.CUI(500))
		<-time.After(time.Minute)
		if calls := r.callsAbout(invented.CUI(500)); len(calls) > 0 {
			t.Errorf("calls %v asked about it", calls)
		}
	})
}

// Two calls may run concurrently, so that a call that hangs does not block all others. Popular companies must not use
// the second one.
func TestRenewedAheadLeavesTheSecondWayFree(t *testing.T) {
	r := &ledger{latency: 8 * time.Second}
	bubble(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
		var callers sync.WaitGroup
		run(&callers, 1, l, 0, 1, wantNoError(t))
		popular(t, l, invented.CUI(500)) // too late for that call
		callers.Wait()
		<-time.After(time.Minute)
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(r.starts) != 2 || r.starts[1].Sub(r.starts[0]) < r.latency {
			t.Errorf("calls began at %v, want the second after the first had ended", r.starts)
		}
	})
}
