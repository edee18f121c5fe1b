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

// records is a register with batched requests, besides the register of taxpayers.
type records struct {
	*ledger
	sizes []int
	err   error
}

func (r *records) ask(ctx context.Context, companies []ro.CompanyDay) (map[ro.CompanyDay]anaf.Result, error) {
	r.mu.Lock()
	r.sizes = append(r.sizes, len(companies))
	r.mu.Unlock()
	results, err := r.fetch(ctx, companies)
	return results, errors.Join(err, r.err)
}

// batched runs a test of a BatchLookup beside a Lookup.
func batched(t *testing.T, test func(t *testing.T, l *Lookup, r *records, b *BatchLookup)) {
	r := &records{ledger: &ledger{latency: 300 * time.Millisecond}}
	behind(t, r.ledger, LookupOptions{}, func(t *testing.T, l *Lookup) {
		test(t, l, r, NewBatchLookup(l, anaf.MaxBatch, r.ask))
	})
}

// A call takes as many companies as the register accepts.
func TestBatchedAsksAboutManyAtOnce(t *testing.T) {
	for of, want := range map[*anaf.SmallRegister][]int{
		anaf.EInvoices: {100, 100, 50}, anaf.Farmers: {250},
	} {
		t.Run(of.Source, func(t *testing.T) {
			batched(t, func(t *testing.T, l *Lookup, r *records, _ *BatchLookup) {
				b, began := NewBatchLookup(l, of.MaxBatch, r.ask), time.Now()
				var callers sync.WaitGroup
				for i := range 250 {
					callers.Go(func() {
						record, err := b.Record(as(i%5), today(invented.CUI(i)), cache.Demand{})
						if err != nil || !isAbout(record, invented.CUI(i)) {
							t.Errorf("%d: %v", i, err)
						}
					})
				}

				callers.Wait()
				if took := time.Since(began); !slices.Equal(r.sizes, want) || took > 4*time.Second {
					t.Errorf("calls about %v, want %v; took %s", r.sizes, want, took)
				}
				if synctest.Wait(); b.running {
					t.Error("the goroutine is still running")
				}

				r.batches = nil // those of this register are larger than the lookup's
			})
		})
	}
}

func TestBatchedFailsThoseWhoWait(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*records)
		kind  op.FailureKind
	}{
		"an error": {func(r *records) { r.err = broken(errors.New("a page")) }, op.Broken},
		"a hang":   {func(r *records) { r.latency = time.Hour }, op.TimedOut},
	} {
		t.Run(name, func(t *testing.T) {
			batched(t, func(t *testing.T, l *Lookup, r *records, b *BatchLookup) {
				c.spoil(r)
				var callers sync.WaitGroup
				for i := range 20 {
					callers.Go(func() {
						_, err := b.Record(t.Context(), today(invented.CUI(i)), cache.Demand{})
						wantKind(t, err, c.kind)
					})
				}

				callers.Wait()
			})
		})
	}

	t.Run("a panic", func(t *testing.T) {
		behind(t, new(ledger), LookupOptions{}, func(t *testing.T, l *Lookup) {
			var fetch anaf.Fetch = func(context.Context, []ro.CompanyDay) (map[ro.CompanyDay]anaf.Result, error) {
				panic("a mistake of ours")
			}
			b := NewBatchLookup(l, anaf.MaxBatch, fetch)
			if _, err := b.Record(t.Context(), today(invented.CUI(1)), cache.Demand{}); !errors.Is(err, errNoReturn) {
				t.Error(err)
			}
		})
	})
}

func TestBatchedDropsWhatNobodyWants(t *testing.T) {
	batched(t, func(t *testing.T, l *Lookup, r *records, b *BatchLookup) {
		began := time.Now()
		facts := cached(t, cache.Kind{Name: "efactura", Fresh: time.Hour}, current(b.Record))
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := facts.Get(ctx, invented.CUI(1)); err != context.DeadlineExceeded {
			t.Error(err)
		}
		if _, err := b.Record(ctx, today(invented.CUI(2)), cache.Demand{}); err == nil {
			t.Error("no error")
		}

		<-time.After(3 * time.Second)
		synctest.Wait()
		if len(r.sizes) != 0 || b.running {
			t.Errorf("calls about %v, running %t", r.sizes, b.running)
		}
		if _, err := facts.Get(t.Context(), invented.CUI(1)); err != nil || time.Since(began) > 4*time.Second {
			t.Errorf("the next caller: %v after %s", err, time.Since(began))
		}
	})
}

func TestBatchedAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLookup(new(ledger).fetch, LookupOptions{})
		b := NewBatchLookup(l, anaf.MaxBatch, new(ledger).fetch)
		l.Close()
		_, err := b.Record(t.Context(), today(invented.CUI(1)), cache.Demand{})
		wantKind(t, err, op.Closed)
	})
}

func TestBatchedQueueIsBounded(t *testing.T) {
	batched(t, func(t *testing.T, l *Lookup, r *records, b *BatchLookup) {
		ctx, cancel := context.WithCancel(t.Context())
		var callers sync.WaitGroup
		for i := range l.options.Queue {
			callers.Go(func() { b.Record(ctx, today(invented.CUI(i)), cache.Demand{}) })
		}

		synctest.Wait()
		if _, err := b.Record(ctx, today(invented.CUI(5000)), cache.Demand{}); !errors.Is(err, ErrBusy) {
			t.Errorf("got %v", err)
		}

		cancel()
		callers.Wait()
	})
}

// A caller with a single company is in the next call, no matter how many companies another caller requests.
func TestBatchedAsksForCallersInTurn(t *testing.T) {
	batched(t, func(t *testing.T, l *Lookup, r *records, b *BatchLookup) {
		var callers sync.WaitGroup
		for i := range 500 {
			callers.Go(func() { b.Record(as(1), today(invented.CUI(i)), cache.Demand{}) })
		}

		<-time.After(100 * time.Millisecond) // until the first call is on the wire
		began := time.Now()
		if _, err := b.Record(as(2), today(invented.CUI(1000)), cache.Demand{}); err != nil ||
			time.Since(began) > 2*time.Second {
			t.Errorf("%v after %s and calls about %v", err, time.Since(began), r.sizes)
		}

		callers.Wait()
	})
}

// flaky breaks a number of connections before it answers.
type flaky struct {
	*records
	breaks int
}

func (f *flaky) ask(ctx context.Context, companies []ro.CompanyDay) (map[ro.CompanyDay]anaf.Result, error) {
	if f.breaks--; f.breaks >= 0 {
		f.sizes = append(f.sizes, len(companies))
		return nil, broken(fmt.Errorf("%w: reset", upstream.ErrConnection))
	}
	return f.records.ask(ctx, companies)
}

func TestBatchedAsksAgainOnceAfterAReset(t *testing.T) {
	for _, c := range []struct {
		breaks, calls int
		fails         bool
	}{{0, 1, false}, {1, 2, false}, {2, 2, true}} {
		t.Run(fmt.Sprintf("%d resets", c.breaks), func(t *testing.T) {
			batched(t, func(t *testing.T, l *Lookup, r *records, _ *BatchLookup) {
				f := &flaky{r, c.breaks}
				b, began := NewBatchLookup(l, anaf.Farmers.MaxBatch, f.ask), time.Now()
				var callers sync.WaitGroup
				for i := range 20 {
					callers.Go(func() {
						if _, err := b.Record(t.Context(), today(invented.CUI(i)),
							cache.Demand{}); (err != nil) != c.fails {
							t.Errorf("got %v", err)
						}
					})
				}

				callers.Wait()
				if len(r.sizes) != c.calls {
					t.Errorf("calls about %v, want %d calls", r.sizes, c.calls)
				}
				if least := time.Duration(c.calls-1) * defaultPace; time.Since(began) < least {
					t.Errorf("%d calls within %s, which is faster than the ration allows", c.calls, time.Since(began))
				}
			})
		})
	}
}
