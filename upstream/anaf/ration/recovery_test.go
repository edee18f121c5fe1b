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

// outage makes calls fail if they start before a given time. They hang, are reset, or get an error.
type outage struct {
	*ledger
	how   string
	until time.Time
}

func (o *outage) fetch(ctx context.Context, companies []ro.CompanyDay) (map[ro.CompanyDay]anaf.Result, error) {
	if !time.Now().Before(o.until) {
		return o.ledger.fetch(ctx, companies)
	}

	o.mu.Lock()
	o.starts, o.batches = append(o.starts, time.Now()), append(o.batches, numbers(companies))
	o.mu.Unlock()
	switch o.how {
	case "hang":
		<-time.After(10 * time.Second)
		return nil, &op.Failure{Registry: anaf.Registry, Kind: op.TimedOut, Err: context.DeadlineExceeded}
	case "reset":
		return nil, anaf.Excuse(ctx, broken(upstream.ErrConnection))
	case "rejected":
		return nil, anaf.Excuse(ctx, broken(fmt.Errorf("%w: 400", upstream.ErrRejected)))
	}

	return nil, anaf.Excuse(ctx, broken(errors.New("the firewall rejected the request")))
}

// recovering runs a test of a Lookup whose callers retry until they are answered.
func recovering(t *testing.T, how string, breaker upstream.BreakerSettings,
	test func(*testing.T, *outage, *Lookup, func(i int))) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o := &outage{ledger: &ledger{latency: 300 * time.Millisecond}, how: how}
		l := NewLookup(upstream.Guard(upstream.NewBreaker(anaf.Registry, breaker), o.fetch), LookupOptions{})
		defer l.Close()
		facts := cached(t, cache.Kind{Name: "company", Fresh: time.Hour, Wait: Deadline}, current(l.Company))
		insist := func(i int) {
			for {
				_, err := facts.Get(as(i%10), invented.CUI(i))
				if err == nil {
					return
				}

				pause, f := time.Second, new(op.Failure)
				if errors.As(err, &f) {
					pause = max(pause, f.RetryAfter)
				}

				<-time.After(pause)
			}
		}
		insist(9999)
		<-time.After(time.Second)
		test(t, o, l, insist)
		<-time.After(Deadline)
		synctest.Wait()
		if n := l.remaining(); n != 0 {
			t.Errorf("%d requests are left", n)
		}

		o.checkPace(t)
	})
}

// TestFullBatchAfterAnOutage verifies that after an outage, the companies of a failed batch are not requested one by
// one.
func TestFullBatchAfterAnOutage(t *testing.T) {
	for _, how := range []string{"hang", "reset", "page"} {
		for lasts, calls := range map[time.Duration]int{time.Second: 5, 3 * time.Second: 14, 10 * time.Second: 20} {
			t.Run(fmt.Sprint(how, " for ", lasts), func(t *testing.T) {
				recovering(t, how, upstream.BreakerSettings{Failures: 1000},
					func(t *testing.T, o *outage, l *Lookup, insist func(int)) {
						began := time.Now()
						o.until = began.Add(lasts)
						var callers sync.WaitGroup
						for i := range 100 {
							callers.Go(func() { insist(i) })
						}

						callers.Wait()
						well := o.until
						if how == "hang" && lasts < 10*time.Second { // the calls that started before it end after it
							well = began.Add(10 * time.Second)
						}

						took := time.Since(well)
						t.Logf("%s, %d calls", took, len(o.called()))
						if took > 10*time.Second || len(o.called()) > calls {
							t.Error("the recovery took too long")
						}
					})
			})
		}
	}
}

// A batch that hangs is answered by its second call before its callers give up, and does not block others.
func TestHungBatchIsRepeated(t *testing.T) {
	recovering(t, "hang", upstream.BreakerSettings{}, func(t *testing.T, o *outage, l *Lookup, insist func(int)) {
		insist(300) // so that the next call waits for the pace and includes all of them
		o.until = time.Now().Add(time.Second)
		var callers sync.WaitGroup
		run(&callers, 1, l, 0, 100, wantNoError(t))
		for i := range 8 {
			<-time.After(time.Second)
			began := time.Now()
			if insist(200 + i); time.Since(began) > 2200*time.Millisecond {
				t.Errorf("another caller waited %s", time.Since(began))
			}
		}

		callers.Wait()
	})
}

// If the breaker blocks the second call, callers get the failure of the first one.
func TestHungBatchBeforeAnOpenBreaker(t *testing.T) {
	recovering(t, "hang", upstream.BreakerSettings{Failures: 1}, func(t *testing.T, o *outage, l *Lookup, _ func(int)) {
		o.until = time.Now().Add(time.Second)
		began := time.Now()
		_, err := l.Company(t.Context(), today(invented.CUI(1)), cache.Demand{})
		if wantKind(t, err, op.TimedOut); time.Since(began) > 11*time.Second {
			t.Errorf("after %s", time.Since(began))
		}
	})
}

// If every call with a number hangs, only the numbers in the same call fail with it. Their second call contains no
// others.
func TestHangingNumberDrawsInNoOthers(t *testing.T) {
	const poison = 3
	synctest.Test(t, func(t *testing.T) {
		r := &ledger{latency: 300 * time.Millisecond}
		l := NewLookup(func(ctx context.Context, companies []ro.CompanyDay) (map[ro.CompanyDay]anaf.Result, error) {
			results, err := r.fetch(ctx, companies)
			if slices.Contains(companies, today(invented.CUI(poison))) {
				<-time.After(10 * time.Second)
				return nil, &op.Failure{Registry: anaf.Registry, Kind: op.TimedOut, Err: context.DeadlineExceeded}
			}
			return results, err
		}, LookupOptions{})
		defer l.Close()
		var callers sync.WaitGroup
		run(&callers, 1, l, poison, poison+1, func(_ int, err error) { wantKind(t, err, op.TimedOut) })
		for i := range 150 {
			<-time.After(100 * time.Millisecond)
			callers.Go(func() {
				if _, err := l.Company(as(2), today(invented.CUI(100+i)), cache.Demand{}); err != nil {
					t.Errorf("%d: %v", i, err)
				}
			})
		}

		callers.Wait()
	})
}

// A single call clears the numbers that were isolated while the registry rejected everything.
func TestQuarantineAfterAnOutage(t *testing.T) {
	for name, poison := range map[string][]int{"none is poison": nil, "one is poison": {42}} {
		t.Run(name, func(t *testing.T) {
			recovering(t, "rejected", upstream.BreakerSettings{},
				func(t *testing.T, o *outage, l *Lookup, insist func(int)) {
					o.until = time.Now().Add(150 * time.Second)
					for i := range 100 {
						if _, err := l.Company(t.Context(), today(invented.CUI(i)), cache.Demand{}); err == nil {
							t.Fatal("answered by a registry that rejects everything")
						}
					}

					if n := len(l.bisector.quarantine); n != 100 {
						t.Fatalf("%d are in quarantine", n)
					}

					<-time.After(time.Until(o.until))
					poisoned(o.ledger, upstream.ErrRejected, poison...)
					began := time.Now()
					var callers sync.WaitGroup
					for i := range 100 {
						if !slices.Contains(poison, i) {
							callers.Go(func() { insist(i) })
						} else {
							callers.Go(func() { l.Company(t.Context(), today(invented.CUI(i)), cache.Demand{}) })
						}
					}

					callers.Wait()
					// Bisecting 100 numbers takes at most 15 calls: the first one, and two calls for each of seven
					// halvings. It takes two more if the first call starts before all callers have arrived. One by one,
					// it would take 105 s.
					if took := time.Since(began); took > 17*defaultPace+time.Second {
						t.Errorf("all answered after %s", took)
					}
				})
		})
	}
}
