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
)

// office is another service of the tax authority, which records its calls together with a register's.
type office struct {
	*ledger
	err   error
	extra time.Duration // additional latency compared with the register
}

// ask answers each number with itself.
func (o *office) ask(ctx context.Context, n int) (int, error) {
	_, err := o.fetch(ctx, []ro.CompanyDay{today(ro.CUI(-n))})
	<-time.After(o.extra)
	return n, errors.Join(err, o.err)
}

// asked returns the numbers that the office was queried about, in order.
func (o *office) asked() (numbers []int) {
	for _, batch := range o.batches {
		if batch[0] <= 0 {
			numbers = append(numbers, int(-batch[0]))
		}
	}

	return numbers
}

// calls returns the number of started calls, of both kinds.
func (o *office) calls() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.batches)
}

// shared runs a test of paced calls beside a Lookup on a fake clock, just after another call.
func shared(t *testing.T, latency time.Duration, test func(t *testing.T, l *Lookup, o *office)) {
	o := &office{ledger: &ledger{latency: latency}}
	behind(t, o.ledger, LookupOptions{}, func(t *testing.T, l *Lookup) { test(t, l, o) })
}

func TestPacedCallsKeepThePace(t *testing.T) {
	shared(t, 100*time.Millisecond, func(t *testing.T, l *Lookup, o *office) {
		o.extra = 5 * time.Second
		ask := Paced(l, o.ask)
		var callers sync.WaitGroup
		for i := range 20 {
			callers.Go(func() {
				if n, err := ask(t.Context(), i, cache.Demand{}); n != i || err != nil {
					t.Errorf("asked %d: %d, %v", i, n, err)
				}
			})
			callers.Go(func() {
				<-time.After(time.Duration(i) * time.Second)
				if _, err := l.Company(as(i), today(invented.CUI(i)), cache.Demand{}); err != nil {
					t.Errorf("company %d: %v", i, err)
				}
			})
		}

		callers.Wait()
		var last time.Time
		for i, batch := range o.batches {
			if batch[0] > 0 {
				continue
			}
			if o.starts[i].Sub(last) < o.extra {
				t.Errorf("a paced call began %s after the previous call", o.starts[i].Sub(last))
			}

			last = o.starts[i]
		}
	})
}

func TestCompaniesGoBeforePacedCalls(t *testing.T) {
	shared(t, 100*time.Millisecond, func(t *testing.T, l *Lookup, o *office) {
		var callers sync.WaitGroup
		callers.Go(func() { Paced(l, o.ask)(t.Context(), 1, cache.Demand{}) })
		synctest.Wait()
		callers.Go(func() { l.Company(as(1), today(invented.CUI(1)), cache.Demand{}) })
		callers.Wait()
		if last := o.batches[len(o.batches)-1]; len(o.batches) != 3 || last[0] != -1 {
			t.Errorf("calls: %v", o.batches)
		}
	})
}

func TestPacedCallsDoNotStarve(t *testing.T) {
	for name, c := range map[string]struct {
		batches int
		more    func(t *testing.T, l *Lookup, i int)
	}{
		"by companies that somebody waits for": {batchesForCallers, func(t *testing.T, l *Lookup, i int) {
			l.Company(as(i), today(invented.CUI(i)), cache.Demand{})
		}},
		"by refreshes": {batchesForRefreshes, func(t *testing.T, l *Lookup, i int) {
			inBackground(t, l, invented.CUI(i))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			shared(t, 100*time.Millisecond, func(t *testing.T, l *Lookup, o *office) {
				ctx, stop := context.WithCancel(t.Context())
				var flood sync.WaitGroup
				for i := 0; i < 120; i++ { // there is always another one waiting
					flood.Go(func() {
						select {
						case <-time.After(time.Duration(i) * 100 * time.Millisecond):
							c.more(t, l, i)
						case <-ctx.Done():
						}
					})
				}

				before := o.calls()
				if _, err := Paced(l, o.ask)(t.Context(), 1, cache.Demand{}); err != nil {
					t.Error(err)
				}
				if n := o.calls() - before - 1; n > c.batches {
					t.Errorf("%d batches preceded the paced call", n)
				}

				stop()
				flood.Wait()
			})
		})
	}
}

func TestPacedCallsTakeTurnsByCaller(t *testing.T) {
	shared(t, 100*time.Millisecond, func(t *testing.T, l *Lookup, o *office) {
		ask := Paced(l, o.ask)
		var callers sync.WaitGroup
		send := func(n, number int, done func(error)) {
			callers.Go(func() {
				_, err := ask(as(n), number, cache.Demand{})
				done(err)
			})
			synctest.Wait()
		}
		refused := 0
		greedy := func(err error) {
			if err != nil {
				wantKind(t, err, op.Closed)
				refused++
			}
		}
		for i := range maxPaced + 1 {
			send(1, 100+i, greedy)
		}
		if s := l.Stats(); s.Paced != maxPaced || refused != 1 {
			t.Errorf("%d paced calls wait, %d were refused", s.Paced, refused)
		}

		modest := func(err error) {
			if err != nil {
				t.Error(err)
			}
		}
		send(2, 201, modest)
		send(2, 202, modest)
		if refused != 3 {
			t.Errorf("%d calls of the busiest caller were dropped, want 3", refused)
		}

		callers.Wait()
		if got, want := o.asked()[:4], []int{100, 201, 101, 202}; !slices.Equal(got, want) {
			t.Errorf("the requests are %v, want %v", got, want)
		}
	})
}

func TestAbandonedPacedCallIsNotMade(t *testing.T) {
	shared(t, 100*time.Millisecond, func(t *testing.T, l *Lookup, o *office) {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		_, err := Paced(l, o.ask)(ctx, 1, cache.Demand{})
		wantKind(t, err, op.TimedOut)
		ctx, leave := context.WithCancel(t.Context())
		go leave()
		if _, err = Paced(l, o.ask)(ctx, 2, cache.Demand{}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if _, err := Paced(l, o.ask)(t.Context(), 3, cache.Demand{}); err != nil {
			t.Error(err)
		}
		if got := o.asked(); !slices.Equal(got, []int{3}) || l.Stats().Paced != 0 {
			t.Errorf("the requests are %v, %d wait", got, l.Stats().Paced)
		}
	})
}

// TestPacedCallOnTheWireIsFinishedWithoutItsCaller verifies that a statement being fetched is stored even if its last
// caller leaves, and even after the fetch's own deadline. A waiting call is dropped.
func TestPacedCallOnTheWireIsFinishedWithoutItsCaller(t *testing.T) {
	for name, c := range map[string]struct {
		leaves  time.Duration
		timeout time.Duration
		stored  bool
	}{
		"leaves while it waits":                        {500 * time.Millisecond, time.Minute, false},
		"leaves while it is on the wire":               {2 * time.Second, time.Minute, true},
		"leaves, and the fetch's deadline passes then": {2 * time.Second, 3 * time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			shared(t, 5*time.Second, func(t *testing.T, l *Lookup, o *office) {
				l.Company(t.Context(), today(invented.CUI(1)), cache.Demand{}) // so that its turn comes 1.05 s later
				kind := cache.Kind{Name: "statement", Fresh: time.Hour, Timeout: c.timeout}
				facts := cached(t, kind, Paced(l, o.ask))
				go l.Company(t.Context(), today(invented.CUI(2)), cache.Demand{})
				synctest.Wait()
				ctx, leave := context.WithCancel(t.Context())
				defer time.AfterFunc(c.leaves, leave).Stop()
				if _, err := facts.Get(ctx, 7); !errors.Is(err, context.Canceled) {
					t.Errorf("the caller who left: %v", err)
				}

				synctest.Wait()
				if s := l.Stats(); s.Paced != 0 {
					t.Errorf("%d paced calls wait", s.Paced)
				}

				<-time.After(10 * time.Second)
				if _, stored := facts.Peek(7); stored != c.stored || (len(o.asked()) == 1) != c.stored {
					t.Errorf("stored %t, want %t; asked %v", stored, c.stored, o.asked())
				}
			})
		})
	}
}

func TestPacedCallThatFails(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		pause time.Duration // before the next call
	}{
		"unknown":                  {op.ErrUnknown, 1050 * time.Millisecond},
		"not asked":                {closedFailure(time.Second, upstream.ErrNotSent), 0},
		"the register says: later": {closedFailure(5*time.Second, errors.New("status 429")), 5 * time.Second},
		"later, but sooner than the pace": {closedFailure(time.Second, errors.New("status 429")),
			1050 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			shared(t, 0, func(t *testing.T, l *Lookup, o *office) {
				o.err = c.err
				if _, err := Paced(l, o.ask)(t.Context(), 1, cache.Demand{}); !errors.Is(err, c.err) {
					t.Errorf("got %v", err)
				}

				began := time.Now()
				if _, err := l.Company(t.Context(), today(invented.CUI(1)), cache.Demand{}); err != nil ||
					time.Since(began) != c.pause {
					t.Errorf("the next call: %v after %s", err, time.Since(began))
				}
				if c.pause == 0 {
					o.starts, o.batches = nil, nil // no call was actually made
				}
			})
		})
	}
}

func TestPacedCallThatPanics(t *testing.T) {
	shared(t, 0, func(t *testing.T, l *Lookup, o *office) {
		_, err := Paced(l, func(_ context.Context, n int) (int, error) { panic(fmt.Sprint("asked ", n)) })(t.Context(),
			1, cache.Demand{})
		if err == nil {
			t.Error("no error after a panic")
		}
	})
}

func TestCloseEndsPacedCalls(t *testing.T) {
	o := &office{ledger: &ledger{latency: time.Hour}}
	bubble(t, o.ledger, LookupOptions{}, func(t *testing.T, l *Lookup) {
		errs := make(chan error)
		for i := range 2 { // one runs, one waits
			go func() { _, err := Paced(l, o.ask)(t.Context(), i, cache.Demand{}); errs <- err }()
			synctest.Wait()
		}

		go l.Close()
		for range 2 {
			if err := <-errs; err == nil {
				t.Error("a paced call succeeded")
			}
		}

		_, err := Paced(l, o.ask)(t.Context(), 3, cache.Demand{})
		wantKind(t, err, op.Closed)
	})
}
