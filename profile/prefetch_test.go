package profile

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/anaf/ration"
)

// registry is the tax authority behind a breaker, its ration and the cache.
type registry struct {
	down   atomic.Bool
	guard  *upstream.Breaker
	served *Register
	lookup *ration.Lookup
	// hang is the number of further calls that are not answered.
	hang atomic.Int32
	// latency is the duration of a call.
	latency time.Duration

	mu    sync.Mutex
	calls []time.Time
	asked map[ro.CUI]int
}

func (o *registry) profiles(_ context.Context, companies []ro.CompanyDay) (map[ro.CompanyDay]anaf.Result, error) {
	o.mu.Lock()
	o.calls = append(o.calls, time.Now())
	for _, company := range companies {
		o.asked[company.CUI]++
	}

	o.mu.Unlock()
	if o.hang.Add(-1) >= 0 {
		<-time.After(10 * time.Second)
		return nil, &op.Failure{Registry: "anaf", Kind: op.TimedOut, Err: context.DeadlineExceeded}
	}

	<-time.After(o.latency)
	results := map[ro.CompanyDay]anaf.Result{}
	for _, company := range companies {
		results[company] = anaf.Result{Record: recordOf(company.CUI)}
	}
	if o.down.Load() {
		return nil, &op.Failure{Registry: "anaf", Kind: op.Broken, Err: errors.New("a page of the firewall")}
	}

	return results, nil
}

// called returns the times of the calls so far.
func (o *registry) called() []time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.calls)
}

// askedAbout returns the number of requests for a company.
func (o *registry) askedAbout(cui ro.CUI) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.asked[cui]
}

// opened runs a test with a registry, on a fake clock.
func opened(t *testing.T, life Lifetimes, test func(*testing.T, *registry)) {
	synctest.Test(t, func(t *testing.T) {
		o := &registry{latency: 300 * time.Millisecond, asked: map[ro.CUI]int{},
			guard: upstream.NewBreaker("anaf", upstream.BreakerSettings{})}
		shut := func() bool { return o.guard.State() == upstream.BreakerOpen }
		o.lookup = ration.NewLookup(upstream.Guard(o.guard, o.profiles), ration.LookupOptions{Shut: shut})
		defer o.lookup.Close()
		c := openCache(t)
		o.served = NewRegister(c, life, o.lookup.Company, new(trade), nil)
		defer o.served.Close()
		test(t, o)
	})
}

// wanted requests a company. It reports whether the caller had to wait, and whether the profile was stale.
func (o *registry) wanted(t *testing.T, cui ro.CUI) (missed, stale bool) {
	t.Helper()
	answer, err := o.served.Company(t.Context(), today(cui))
	if err != nil {
		t.Fatalf("%s: %v", cui, err)
	}

	return answer.Cache == op.Miss, read(t, answer).Sources[0].Stale
}

// A popular company is read four times an hour for ten days, a rare one once every
// 30 hours.
const (
	popularEvery = 15 * time.Minute
	rareEvery    = 30 * time.Hour
	tenDays      = 240 * time.Hour
)

func TestPopularCompanyIsAlwaysFresh(t *testing.T) {
	for name, c := range map[string]struct {
		life  Lifetimes
		fresh bool
	}{
		"as shipped":       {DefaultLifetimes, true},
		"without prefetch": {func() Lifetimes { l := DefaultLifetimes; l.NoPrefetch = true; return l }(), false},
	} {
		t.Run(name, func(t *testing.T) {
			opened(t, c.life, func(t *testing.T, o *registry) {
				o.wanted(t, known)
				old, oldRare := 0, 0
				for passed := popularEvery; passed <= tenDays; passed += popularEvery {
					<-time.After(popularEvery)
					missed, stale := o.wanted(t, known)
					if missed {
						t.Error("a caller waited for the popular company")
					}
					if stale {
						old++
					}

					if passed%rareEvery == 0 {
						if _, stale := o.wanted(t, unknown); stale {
							oldRare++
						}
					}
				}

				if (old == 0) != c.fresh {
					t.Errorf("the popular company was stale %d times", old)
				}
				if n := int(tenDays / rareEvery); o.askedAbout(unknown) > n || oldRare != n-1 {
					t.Errorf("of %d reads of the rare company %d were stale, and it was requested %d times", n, oldRare,
						o.askedAbout(unknown))
				}
				if o.askedAbout(known) > 13 {
					t.Errorf("the popular company was requested %d times in ten days", o.askedAbout(known))
				}

				calls := o.called()
				for i, at := range calls[1:] {
					if at.Sub(calls[i]) < time.Second {
						t.Errorf("a call began %s after the previous one", at.Sub(calls[i]))
					}
				}
			})
		})
	}
}

// TestPrefetchLeavesAClosedRegisterAlone verifies that popular companies are not requested while the breaker is open,
// and are refreshed afterwards.
func TestPrefetchLeavesAClosedRegisterAlone(t *testing.T) {
	opened(t, DefaultLifetimes, func(t *testing.T, o *registry) {
		answer, err := o.served.Company(t.Context(), today(known))
		testkit.NoError(t, err)

		<-time.After(time.Until(answer.FreshUntil.Add(-time.Hour)))
		o.down.Store(true)
		for _, cui := range []ro.CUI{9900000037, 9900000045, 9900000053, 9900000061, 9900000070, 9900000088} {
			if _, err := o.served.Company(t.Context(), today(cui)); err == nil {
				t.Error("answered by a register that is down")
			}
		}

		before, seconds := len(o.called()), 0
		for ; o.guard.State() == upstream.BreakerOpen; seconds++ {
			o.wanted(t, known)
			<-time.After(time.Second)
		}
		if seconds < 15 || len(o.called()) > before {
			t.Errorf("%d calls in the %d s in which the breaker was open", len(o.called())-before, seconds)
		}

		o.down.Store(false)
		for time.Now().Before(answer.FreshUntil.Add(time.Hour)) {
			<-time.After(popularEvery)
			if missed, stale := o.wanted(t, known); missed || stale {
				t.Errorf("missed %t, stale %t", missed, stale)
			}
		}
	})
}
