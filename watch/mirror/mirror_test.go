package mirror

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/watch"
)

// memory is a store in memory, a trade register and a tax authority.
type memory struct {
	Store // unimplemented methods are not called

	mu      sync.Mutex
	watched map[ro.CUI]time.Duration // with their intervals
	looked  map[ro.CUI]time.Time
	seen    map[ro.CUI]ro.Date
	country []ro.CUI // in operation

	asked  []ro.CUI // in order
	kept   map[ro.CUI]bool
	poison map[ro.CUI]bool
	// failure is the error of failing looks, and failures their number.
	failure  error
	failures int
	down     atomic.Bool
	shut     atomic.Bool
	broken   atomic.Bool // the store
}

var errUnusable = errors.New("the answer leaves it out")

func newMemory() *memory {
	return &memory{watched: map[ro.CUI]time.Duration{}, looked: map[ro.CUI]time.Time{}, seen: map[ro.CUI]ro.Date{},
		kept: map[ro.CUI]bool{}}
}

func sorted(looks []watch.Look, after watch.Look, limit int) []watch.Look {
	compare := func(a, b watch.Look) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Company, b.Company))
	}
	looks = slices.DeleteFunc(looks, func(l watch.Look) bool { return compare(l, after) <= 0 })
	slices.SortFunc(looks, compare)
	return looks[:min(limit, len(looks))]
}

func (m *memory) DueWatched(_ context.Context, after watch.Look, now time.Time, sooner time.Duration,
	limit int) (all []watch.Look, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken.Load() {
		return nil, errors.New("the store is broken")
	}

	for c, every := range m.watched {
		if at := m.looked[c]; !at.After(now.Add(sooner - every)) {
			all = append(all, watch.Look{Company: c, At: at})
		}
	}

	return sorted(all, after, limit), nil
}

func (m *memory) Oldest(_ context.Context, after watch.Look, before time.Time, seen ro.Date,
	limit int) (all []watch.Look, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for c, at := range m.looked {
		if !at.After(before) && (seen == 0 || m.seen[c] >= seen) {
			all = append(all, watch.Look{Company: c, At: at})
		}
	}

	return sorted(all, after, limit), nil
}

func (m *memory) LookedAt(_ context.Context, after, through ro.CUI) ([]ro.CUI, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(m.looked)), func(c ro.CUI) bool {
		return c <= after || c > through
	}), nil
}

func (*memory) Debtors(context.Context) ([]string, error) { return nil, nil }
func (*memory) ForgetSeen(context.Context, ro.Date) error { return nil }
func (*memory) Unpaid(context.Context, []ro.CUI, watch.Month) (map[string][]ro.CUI, error) {
	return nil, nil
}

func (m *memory) TaxIDs(after ro.CUI, _ bool, limit int) ([]ro.CUI, error) {
	if m.country == nil {
		return nil, errors.New("not loaded")
	}

	i, _ := slices.BinarySearch(m.country, after+1)
	return slices.Clone(m.country[i:min(i+limit, len(m.country))]), nil
}

func (m *memory) Listed(companies []ro.CUI, _ bool) ([]ro.CUI, error) {
	return slices.DeleteFunc(companies, func(c ro.CUI) bool { return !slices.Contains(m.country, c) }), nil
}

func (m *memory) Count(bool) int { return len(m.country) }

func (m *memory) look(ctx context.Context, companies []ro.CUI, keep bool, each func(ro.CUI, error)) error {
	<-time.After(300 * time.Millisecond)
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, company := range companies {
		if m.down.Load() || m.poison[company] {
			m.failures++
			each(company, cmp.Or(m.failure, errors.New("no answer")))
			continue
		}

		m.asked = append(m.asked, company)
		m.looked[company], m.kept[company] = time.Now(), keep
		each(company, nil)
	}

	return ctx.Err()
}

// share returns a part of a ration of a call a second.
func (m *memory) share(part float64) *work.Share {
	return work.NewShare(part, time.Second, func() bool { return !m.shut.Load() })
}

// mirrored runs a mirror for some time and stops it.
func (m *memory) mirrored(t *testing.T, o Options, lasting time.Duration) *Mirror {
	t.Helper()
	o.Store, o.Register, o.Look = m, m, m.look
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Unusable = func(_ ro.CUI, err error) bool { return errors.Is(err, errUnusable) }
	mirror := New(o)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { mirror.Run(ctx) })
	<-time.After(lasting)
	cancel()
	running.Wait()
	synctest.Wait()
	return mirror
}

// numbers returns the numbers from one to another.
func numbers(from, to ro.CUI) (all []ro.CUI) {
	for c := from; c <= to; c++ {
		all = append(all, c)
	}
	return all
}

func (m *memory) watch(every time.Duration, companies ...ro.CUI) {
	for _, c := range companies {
		m.watched[c] = every
	}
}

func TestWatchedCompaniesTakeTheirShareOfTheRation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		m.watch(24*time.Hour, numbers(1, 12_000)...)
		mirror := m.mirrored(t, Options{Share: m.share(0.1)}, 20*time.Minute+5*time.Second)

		// A call every 10 seconds.
		if n := len(m.asked); n < 118*100 || n > 12_000 {
			t.Errorf("%d companies were looked at in 120 calls", n)
		}
		if first := m.asked[:100]; slices.Max(first) > 200 {
			t.Errorf("the first were %d, want the smallest numbers, since no company was ever looked at", first)
		}
		if s := mirror.Stats(); s.Used < 0.03 || s.Used > 0.035 || s.Hourly != len(m.asked) {
			t.Errorf("the mirror reports %.3f of the hour's ration for %d companies", s.Used, s.Hourly)
		}
	})
}

func TestEachWatchedCompanyIsLookedAtAsOftenAsItsListWants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		m.watch(24*time.Hour, numbers(1, 1_000)...)
		m.watch(2*24*time.Hour, numbers(2_001, 2_100)...)
		for c := range m.watched {
			m.looked[c] = time.Now()
		}

		m.mirrored(t, Options{Share: m.share(1)}, 60*time.Hour)

		times := map[ro.CUI]int{}
		for _, c := range m.asked {
			times[c]++
		}
		if times[1] != 2 || times[1_000] != 2 || times[2_001] != 1 {
			t.Errorf("in two days and a half, looked at %d and %d times daily, and %d times every other day", times[1],
				times[1_000], times[2_001])
		}
	})
}

func TestWatchedGoFirstThenTheUnknownThenTheOldest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		m.watch(24*time.Hour, 900, 901)
		m.country = numbers(1, 10)
		now := time.Now()
		for c, days := range map[ro.CUI]int{3: 3, 5: 9, 7: 5, 8: 0, 50: 8} { // 50 is not in operation
			m.looked[c] = now.AddDate(0, 0, -days)
		}

		m.mirrored(t, Options{Scope: InOperation, Share: m.share(1)}, 30*time.Second)

		rank := func(companies ...ro.CUI) (ranks []int) {
			for _, c := range companies {
				ranks = append(ranks, slices.Index(m.asked, c))
			}
			return ranks
		}
		all := slices.Concat(rank(900, 901), rank(1, 2, 4, 6, 9, 10), rank(5, 7, 3))
		for i, group := range [][]int{all[:2], all[2:8], all[8:]} {
			if slices.Min(group) < []int{0, 2, 8}[i] {
				t.Errorf("looked at in the order %d", m.asked)
			}
		}

		if len(m.asked) != 11 {
			t.Errorf("looked at %d, want each once, and neither 8 nor 50", m.asked)
		}
		if !m.kept[900] || m.kept[1] {
			t.Error("want watched companies in the cache, and no others")
		}
	})
}

func TestSeenCompanies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		today := ro.DateIn(time.Now(), ro.Bucharest)
		for c, days := range map[ro.CUI]ro.Date{1: 0, 2: 80, 3: 95} {
			m.seen[c], m.looked[c] = today-days, time.Now().AddDate(0, 0, -int(days)-2)
		}

		m.mirrored(t, Options{Scope: Seen, Share: m.share(1)}, 3*time.Minute)
		slices.Sort(m.asked)
		if !slices.Equal(m.asked, []ro.CUI{1, 2}) {
			t.Errorf("looked at %d", m.asked)
		}
	})
}

func TestNothingIsAskedWhileTheRegistryIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		m.watch(24*time.Hour, numbers(1, 300)...)
		m.shut.Store(true)
		m.mirrored(t, Options{Share: m.share(1)}, time.Hour)
		if len(m.asked) != 0 {
			t.Errorf("%d companies were looked at", len(m.asked))
		}

		m.shut.Store(false)
		m.mirrored(t, Options{Share: m.share(1)}, 10*time.Second)
		if len(m.asked) != 300 {
			t.Errorf("%d companies were looked at afterwards", len(m.asked))
		}
	})
}

func TestBatchesThatFailComeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		m.country = numbers(1, 1_000)
		m.poison = map[ro.CUI]bool{77: true}
		m.down.Store(true)
		time.AfterFunc(5*time.Minute, func() { m.down.Store(false) })
		m.mirrored(t, Options{Scope: All, Share: m.share(1)}, 2*time.Hour)

		slices.Sort(m.asked)
		want := slices.DeleteFunc(numbers(1, 1_000), func(c ro.CUI) bool { return c == 77 })
		if !slices.Equal(m.asked, want) {
			t.Errorf("%d companies were looked at, want all but one, once", len(m.asked))
		}
	})
}

func TestAnotherProcessGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		m.country = numbers(1, 20_000)
		m.mirrored(t, Options{Scope: All, Share: m.share(1)}, 100*time.Second)
		<-time.After(time.Second) // until requests in flight are answered
		synctest.Wait()
		first := len(m.asked)
		m.mirrored(t, Options{Scope: All, Share: m.share(1)}, 150*time.Second)
		if slices.Sort(m.asked); first == 0 || !slices.Equal(m.asked, m.country) {
			t.Errorf("%d companies were looked at, then %d: want each of %d once", first, len(m.asked)-first,
				len(m.country))
		}
	})
}

func TestStoreThatFailsIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		m.watch(24*time.Hour, 1)
		m.broken.Store(true)
		time.AfterFunc(time.Minute, func() { m.broken.Store(false) })
		m.mirrored(t, Options{Share: m.share(1)}, 3*time.Minute)
		if len(m.asked) != 1 {
			t.Errorf("looked at %d", m.asked)
		}
	})
}

func TestCompanyThatAlwaysFailsKeepsNobodyWaiting(t *testing.T) {
	for name, failure := range map[string]error{"no answer": errors.New("no answer"), "left out": errUnusable} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMemory()
				m.poison, m.failure = map[ro.CUI]bool{77: true}, failure
				m.watch(24*time.Hour, 77)
				var late []ro.CUI
				time.AfterFunc(10*time.Minute, func() {
					m.mu.Lock()
					defer m.mu.Unlock()
					m.watch(24*time.Hour, 5)
				})
				time.AfterFunc(10*time.Minute+15*time.Second, func() {
					m.mu.Lock()
					defer m.mu.Unlock()
					late = slices.Clone(m.asked)
				})
				var log strings.Builder
				// As in the sandbox.
				o := Options{Share: m.share(1), Sooner: 24*time.Hour - 10*time.Second, Sweep: 5 * time.Second,
					Log: slog.New(slog.NewTextHandler(&log, nil))}
				m.mirrored(t, o, 12*time.Hour)

				if !slices.Contains(late, 5) {
					t.Errorf("company 5 was not looked at within 15 seconds, only %d", late)
				}
				if m.failures < 12 || m.failures > 20 {
					t.Errorf("the failing company was looked at %d times in 12 hours, want once an hour in the end",
						m.failures)
				}
				if n := strings.Count(log.String(), "looking at companies failed"); n != 1 ||
					!strings.Contains(log.String(), failure.Error()) {
					t.Errorf("logged %d times:\n%s", n, log.String())
				}
			})
		})
	}
}

func TestFailingCompaniesAreRememberedWithinBounds(t *testing.T) {
	var l backoff
	now := time.Now()
	for c := range ro.CUI(maxFailing + 10) {
		l.recordFailure(c+1, now)
	}
	if len(l) != maxFailing {
		t.Errorf("%d are remembered", len(l))
	}
	if l.recordSuccess(maxFailing + 10); len(l.exclude([]ro.CUI{maxFailing + 10}, now)) != 1 {
		t.Error("a company is still delayed after a successful look")
	}
}
