package ration

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
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

// ledger is an in-memory register that records its calls.
type ledger struct {
	mu      sync.Mutex
	latency time.Duration
	jitter  time.Duration // added to the latency, up to this much
	starts  []time.Time
	batches [][]ro.CUI
	asked   [][]ro.CompanyDay // like the batches, with the days
	fail    func(cuis []ro.CUI) error
}

func (r *ledger) fetch(ctx context.Context, companies []ro.CompanyDay) (map[ro.CompanyDay]anaf.Result, error) {
	r.mu.Lock()
	r.starts = append(r.starts, time.Now())
	cuis := numbers(companies)
	r.batches = append(r.batches, cuis)
	r.asked = append(r.asked, companies)
	r.mu.Unlock()
	select {
	case <-time.After(r.latency + rand.N(r.jitter+1)):
	case <-ctx.Done():
		return nil, &op.Failure{Registry: anaf.Registry, Kind: op.TimedOut, Err: ctx.Err()}
	}

	if r.fail != nil {
		if err := r.fail(cuis); err != nil {
			return nil, anaf.Excuse(ctx, err)
		}
	}

	results := map[ro.CompanyDay]anaf.Result{}
	for _, company := range companies {
		results[company] = anaf.Result{Record: recordOf(company.CUI)}
	}

	return results, nil
}

// recordOf returns the record of an invented company.
func recordOf(cui ro.CUI) *anaf.Record {
	return anaf.NewRecord(fmt.Appendf(nil, `{"date_generale":{"cui":%d,"denumire":"EXEMPLU SRL"}}`, cui))
}

// isAbout reports whether a record is about a company.
func isAbout(r *anaf.Record, cui ro.CUI) bool {
	c, err := r.Company(nil)
	return err == nil && c.TaxID == cui
}

// checkPace fails unless calls started at least a second apart, each with at most a hundred companies.
func (r *ledger) checkPace(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, batch := range r.batches {
		if len(batch) > anaf.MaxBatch {
			t.Errorf("call %d asks about %d companies", i, len(batch))
		}
		if i > 0 && r.starts[i].Sub(r.starts[i-1]) < time.Second {
			t.Errorf("call %d began %s after the previous one", i, r.starts[i].Sub(r.starts[i-1]))
		}
	}
}

// bubble runs a test of a Lookup on a fake clock.
func bubble(t *testing.T, r *ledger, o LookupOptions, test func(t *testing.T, l *Lookup)) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLookup(r.fetch, o)
		defer l.Close()
		test(t, l)
	})
}

// remaining returns the numbers of waiting companies and of running calls.
func (l *Lookup) remaining() int {
	s := l.Stats()
	return s.Interactive + s.Refresh + s.Quarantined + s.Ahead + s.Again + s.Running
}

func TestLookupAloneIsNotDelayed(t *testing.T) {
	r := &ledger{latency: 300 * time.Millisecond}
	bubble(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
		began := time.Now()
		c, err := l.Company(t.Context(), today(invented.CUI(1)), cache.Demand{})
		if err != nil || !isAbout(c, invented.CUI(1)) {
			t.Fatal(c, err)
		}
		if took := time.Since(began); took != r.latency {
			t.Errorf("took %s", took)
		}
	})
}

func TestLookupNinetyNewCompaniesASecond(t *testing.T) {
	for name, c := range map[string]struct {
		latency, p99 time.Duration
	}{
		"a fast register": {300 * time.Millisecond, 2500 * time.Millisecond},
		// Two concurrent calls sustain one call each 1.05 s, unless a call is held longer than its answer takes.
		"a slow register": {1800 * time.Millisecond, 4 * time.Second},
	} {
		t.Run(name, func(t *testing.T) { ninetyNewCompaniesASecond(t, c.latency, c.p99) })
	}
}

func ninetyNewCompaniesASecond(t *testing.T, latency, limit time.Duration) {
	r := &ledger{latency: latency, jitter: 200 * time.Millisecond}
	bubble(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
		const companies = 60 * 90
		took := make([]time.Duration, companies)
		var callers sync.WaitGroup
		for i := range companies {
			callers.Go(func() {
				began := time.Now()
				if c, err := l.Company(as(i%30), today(invented.CUI(i)), cache.Demand{}); err != nil ||
					!isAbout(c, invented.CUI(i)) {
					t.Errorf("%d: %v", i, err)
				}

				took[i] = time.Since(began)
			})
			<-time.After(time.Second / 90)
		}

		callers.Wait()
		r.checkPace(t)
		slices.Sort(took)
		t.Logf("p50 %s, p99 %s, longest %s in %d calls", took[companies/2], took[companies*99/100], took[companies-1],
			len(r.called()))
		if p99 := took[companies*99/100]; p99 > limit {
			t.Errorf("99 of 100 are answered within %s", p99)
		}
		if s := l.Stats(); s.Calls != uint64(len(r.called())) || s.Companies != companies || s.Refused+s.Split != 0 ||
			l.waitingCount() != 0 {
			t.Errorf("counted %+v, want %d calls", s, len(r.called()))
		}
	})
}

func TestLookupFullQueueRefusesAtOnce(t *testing.T) {
	r := &ledger{latency: 100 * time.Millisecond}
	bubble(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
		l.Company(t.Context(), today(invented.CUI(0)), cache.Demand{}) // the next call may start only later
		var callers sync.WaitGroup
		for i := range 800 {
			callers.Go(func() {
				if _, err := l.Company(t.Context(), today(invented.CUI(1+i)), cache.Demand{}); err != nil {
					t.Error(err)
				}
			})
		}

		synctest.Wait()
		began := time.Now()
		_, err := l.Company(t.Context(), today(invented.CUI(1000)), cache.Demand{})
		wantKind(t, err, op.Closed)
		var f *op.Failure
		if errors.As(err, &f) && (f.RetryAfter < 8*time.Second || f.RetryAfter > 10*time.Second) {
			t.Errorf("retry after %s", f.RetryAfter)
		}
		if !time.Now().Equal(began) {
			t.Errorf("refused after %s", time.Since(began))
		}
		if s := l.Stats(); s.Interactive != 800 || s.Refused != 1 {
			t.Errorf("figures: %+v", s)
		}

		callers.Wait()
		r.checkPace(t)
	})
}

func TestLookupForgetsThoseWhoLeft(t *testing.T) {
	r := &ledger{}
	bubble(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
		l.Company(t.Context(), today(invented.CUI(0)), cache.Demand{})
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		if _, err := l.Company(ctx, today(invented.CUI(1)), cache.Demand{}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}

		ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, err := l.Company(ctx, today(invented.CUI(2)), cache.Demand{})
		wantKind(t, err, op.TimedOut)
		if _, err := l.Company(t.Context(), today(invented.CUI(3)), cache.Demand{}); err != nil {
			t.Error(err)
		}
		if len(r.called()) != 2 || !slices.Equal(r.called()[1], []ro.CUI{invented.CUI(3)}) {
			t.Errorf("calls: %v", r.called())
		}
		if n := l.remaining(); n != 0 {
			t.Errorf("%d requests left", n)
		}
	})
}

// TestCallOnTheWireIsFinishedWithoutItsCallers verifies that a call continues if its last caller leaves, and that the
// next caller finds the answer.
func TestCallOnTheWireIsFinishedWithoutItsCallers(t *testing.T) {
	for name, comes := range map[string]time.Duration{"meanwhile": 5 * time.Second, "afterwards": 20 * time.Second} {
		t.Run("the next comes "+name, func(t *testing.T) {
			r := &ledger{latency: 10 * time.Second}
			bubble(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
				facts := companies(t, current(l.Company))
				leaves(t, facts, invented.CUI(1), time.Second)
				<-time.After(comes - time.Second)
				found, err := facts.Get(t.Context(), invented.CUI(1))
				if err != nil || found.Hit != (name == "afterwards") {
					t.Errorf("the next caller: hit %t, %v", found.Hit, err)
				}
				if n := l.remaining(); len(r.called()) != 1 || n != 0 {
					t.Errorf("calls: %v; %d requests left", r.called(), n)
				}
			})
		})
	}
}

// leaves requests a company and leaves without an answer.
func leaves(t *testing.T, facts *cache.Facts[ro.CUI, *anaf.Record], cui ro.CUI, patience time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer time.AfterFunc(patience, cancel).Stop()
	if _, err := facts.Get(ctx, cui); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller who left: %v", err)
	}
}

// TestWaitingRequestIsDroppedWithItsLastCaller verifies that a number that is not on the wire leaves the queue with its
// last caller.
func TestWaitingRequestIsDroppedWithItsLastCaller(t *testing.T) {
	r := new(ledger)
	behind(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
		facts := companies(t, current(l.Company))
		leaves(t, facts, invented.CUI(1), 500*time.Millisecond)
		synctest.Wait()
		if s, n := l.Stats(), l.remaining(); s.Interactive != 0 || n != 0 {
			t.Errorf("figures: %+v; %d requests left", s, n)
		}

		<-time.After(10 * time.Second)
		if len(r.called()) != 1 {
			t.Errorf("calls: %v", r.called())
		}
		if found, err := facts.Get(t.Context(), invented.CUI(1)); err != nil || found.Hit {
			t.Errorf("the next caller: hit %t, %v", found.Hit, err)
		}
	})
}

// TestLateAnswerIsStored verifies that an answer is not lost if its call starts just before the callers' deadline. They
// get a timeout, and the next caller finds the answer.
func TestLateAnswerIsStored(t *testing.T) {
	r := &ledger{latency: 8 * time.Second}
	bubble(t, r, LookupOptions{Pace: 10 * time.Second}, func(t *testing.T, l *Lookup) {
		go l.Company(t.Context(), today(invented.CUI(1)), cache.Demand{}) // the next call starts 10 s later
		synctest.Wait()
		facts := cached(t, cache.Kind{Name: "company", Fresh: time.Hour, Wait: Deadline}, current(l.Company))
		if _, err := facts.Get(t.Context(), invented.CUI(2)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}

		<-time.After(7 * time.Second)
		if found, err := facts.Get(t.Context(), invented.CUI(2)); err != nil || !found.Hit || len(r.called()) != 2 {
			t.Errorf("the next caller: hit %t, %v; calls %v", found.Hit, err, r.called())
		}
	})
}

func TestLookupDeadline(t *testing.T) {
	r := &ledger{latency: time.Hour}
	bubble(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
		began := time.Now()
		_, err := l.Company(t.Context(), today(invented.CUI(1)), cache.Demand{})
		wantKind(t, err, op.TimedOut)
		if took := time.Since(began); took != 12*time.Second {
			t.Errorf("took %s", took)
		}
	})
}

// A call that hangs does not block all others, but a third one waits for one of two.
func TestLookupOneHangingCallLeavesAWay(t *testing.T) {
	r := &ledger{latency: 8 * time.Second}
	bubble(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
		var callers sync.WaitGroup
		for n := range 3 {
			run(&callers, 1, l, n, n+1, wantNoError(t))
			<-time.After(2 * time.Second)
		}

		callers.Wait()
		if first := r.starts[0]; r.starts[1].Sub(first) > 3*time.Second || r.starts[2].Sub(first) != r.latency {
			t.Errorf("calls at %v", r.starts)
		}
	})
}

func TestLookupTriesAgainAfterAReset(t *testing.T) {
	resets := 1
	r := &ledger{}
	r.fail = func([]ro.CUI) error {
		if resets--; resets >= 0 {
			return &op.Failure{Registry: anaf.Registry, Kind: op.Broken, Err: upstream.ErrConnection}
		}
		return nil
	}
	bubble(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
		if _, err := l.Company(t.Context(), today(invented.CUI(1)), cache.Demand{}); err != nil {
			t.Error(err)
		}

		resets = 2
		_, err := l.Company(t.Context(), today(invented.CUI(1)), cache.Demand{})
		wantKind(t, err, op.Broken)
		if len(r.called()) != 4 {
			t.Errorf("%d calls", len(r.called()))
		}

		r.checkPace(t)
	})
}

func TestLookupWaitsWhenAskedTo(t *testing.T) {
	r := &ledger{fail: func([]ro.CUI) error {
		return &op.Failure{Registry: anaf.Registry, Kind: op.Closed, RetryAfter: time.Minute,
			Err: errors.New("status 429")}
	}}
	bubble(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
		for range 3 {
			_, err := l.Company(t.Context(), today(invented.CUI(1)), cache.Demand{})
			wantKind(t, err, op.Closed)
		}
		if len(r.called()) != 1 {
			t.Errorf("%d calls, want 1: the registry asked for a pause", len(r.called()))
		}
	})
}

func TestLookupBehindAnOpenBreaker(t *testing.T) {
	r := &ledger{fail: func([]ro.CUI) error {
		return &op.Failure{Registry: anaf.Registry, Kind: op.Broken, Err: errors.New("firewall")}
	}}
	synctest.Test(t, func(t *testing.T) {
		b := upstream.NewBreaker(anaf.Registry, upstream.BreakerSettings{})
		l := NewLookup(upstream.Guard(b, r.fetch), LookupOptions{})
		defer l.Close()
		for i := range 5 {
			_, err := l.Company(t.Context(), today(invented.CUI(i)), cache.Demand{})
			wantKind(t, err, op.Broken)
		}

		_, err := l.Company(t.Context(), today(invented.CUI(5)), cache.Demand{})
		wantKind(t, err, op.Closed)
		began := time.Now()
		for i := range 100 {
			_, err := l.Company(t.Context(), today(invented.CUI(i)), cache.Demand{})
			wantKind(t, err, op.Closed)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("rejected calls wait for the pace: %s", took)
		}
		if len(r.called()) != 5 {
			t.Errorf("%d calls", len(r.called()))
		}

		r.checkPace(t)
	})
}

func TestLookupPassesOnWhatItIsTold(t *testing.T) {
	bad := &op.Failure{Registry: anaf.Registry, Kind: op.Broken, Err: errors.New("strange record")}
	synctest.Test(t, func(t *testing.T) {
		l := NewLookup(func(_ context.Context, asked []ro.CompanyDay) (map[ro.CompanyDay]anaf.Result, error) {
			switch asked[0].CUI {
			case invented.CUI(1):
				return map[ro.CompanyDay]anaf.Result{asked[0]: {Err: op.ErrUnknown}}, nil
			case invented.CUI(2):
				return map[ro.CompanyDay]anaf.Result{asked[0]: {Err: bad}}, nil
			case invented.CUI(3):
				return nil, nil
			}

			panic(fmt.Sprint("asked about ", asked))
		}, LookupOptions{})
		defer l.Close()
		if _, err := l.Company(t.Context(), today(invented.CUI(1)), cache.Demand{}); err != op.ErrUnknown {
			t.Errorf("unknown: %v", err)
		}
		if _, err := l.Company(t.Context(), today(invented.CUI(2)), cache.Demand{}); !errors.Is(err, bad) {
			t.Errorf("broken: %v", err)
		}

		_, err := l.Company(t.Context(), today(invented.CUI(3)), cache.Demand{})
		wantKind(t, err, op.Broken)
		if _, err := l.Company(t.Context(), today(invented.CUI(4)), cache.Demand{}); err == nil {
			t.Error("no error after a panic")
		}
	})
}

func TestLookupClose(t *testing.T) {
	r := &ledger{latency: time.Hour}
	bubble(t, r, LookupOptions{}, func(t *testing.T, l *Lookup) {
		errs := make(chan error)
		go func() { _, err := l.Company(t.Context(), today(invented.CUI(1)), cache.Demand{}); errs <- err }()
		synctest.Wait() // running
		go func() { _, err := l.Company(t.Context(), today(invented.CUI(2)), cache.Demand{}); errs <- err }()
		synctest.Wait() // queued
		go l.Close()
		if err := <-errs; err == nil {
			t.Error("no error for a running lookup")
		}
		if err := <-errs; err == nil {
			t.Error("no error for a queued lookup")
		}

		_, err := l.Company(t.Context(), today(invented.CUI(3)), cache.Demand{})
		wantKind(t, err, op.Closed)
	})
}

// Callers get the observed results, and the next call does not wait for the observer.
func TestLookupObserves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const slow = 4 * time.Second
		r := &ledger{latency: 300 * time.Millisecond}
		var observed []ro.CompanyDay
		l := NewLookup(r.fetch, LookupOptions{Pace: time.Second,
			Observe: func(ctx context.Context, asked ro.Date, results map[ro.CompanyDay]anaf.Result) {
				if asked != ro.Today() {
					t.Errorf("observed as of %s", asked)
				}

				r.mu.Lock()
				for company := range results {
					observed = append(observed, company)
				}

				r.mu.Unlock()
				<-time.After(slow)
				panic("a mistake, which does not affect callers")
			}})
		defer l.Close()

		began := time.Now()
		var callers sync.WaitGroup
		for i := range 4 {
			callers.Go(func() {
				<-time.After(time.Duration(i) * time.Second)
				if _, err := l.Company(t.Context(), today(invented.CUI(i)), cache.Demand{}); err != nil {
					t.Error(err)
				}
				if took := time.Since(began); took != time.Duration(i)*time.Second+r.latency+slow {
					t.Errorf("caller %d has an answer after %s", i, took)
				}
			})
		}

		callers.Wait()
		if len(observed) != 4 {
			t.Errorf("observed %v", observed)
		}

		r.fail = func([]ro.CUI) error { return errors.New("down") }
		if _, err := l.Company(t.Context(), today(invented.CUI(9)), cache.Demand{}); err == nil || len(observed) != 4 {
			t.Errorf("after a failed call: %v, observed %v", err, observed)
		}
	})
}

func TestOddRecordsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		odd := map[ro.CUI]anaf.Result{
			invented.CUI(1): {Disagrees: true}, invented.CUI(2): {Disagrees: true}, invented.CUI(3): {Misdated: true},
			invented.CUI(4): {Incomplete: true}, invented.CUI(5): {},
		}
		fetch := func(_ context.Context, companies []ro.CompanyDay) (map[ro.CompanyDay]anaf.Result, error) {
			results := map[ro.CompanyDay]anaf.Result{}
			for _, company := range companies {
				r := odd[company.CUI]
				r.Record = recordOf(company.CUI)
				results[company] = r
			}

			return results, nil
		}
		l := NewLookup(fetch, LookupOptions{})
		defer l.Close()
		for cui := range odd {
			if _, err := l.Company(t.Context(), ro.CompanyDay{CUI: cui, Day: ro.NewDate(2020, 12, 5)},
				cache.Demand{}); err != nil {
				t.Error(err)
			}
		}

		if s := l.Stats(); s.Disagreements != 2 || s.Misdated != 1 || s.Incomplete != 1 {
			t.Errorf("%d disagreements, %d misdated, %d incomplete", s.Disagreements, s.Misdated, s.Incomplete)
		}
	})
}
