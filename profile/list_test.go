package profile

import (
	"context"
	"errors"
	"net/netip"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/anaf/ration"
)

// from returns the context of a caller with a separate address.
func from(ctx context.Context, n byte) context.Context {
	return op.WithCaller(ctx, account.Caller{Address: netip.AddrFrom4([4]byte{192, 0, 2, n})})
}

// heard has the reports of a list.
type heard struct {
	groups [][]company.Found
	at     []time.Duration
	all    map[int]company.Found
}

// listen looks up a list, and checks that each company is reported once.
func (o *registry) listen(ctx context.Context, t *testing.T, cuis []ro.CUI, wait time.Duration) *heard {
	h, began := &heard{all: map[int]company.Found{}}, time.Now()
	o.served.Companies(ctx, allToday(cuis), wait, func(known []company.Found) bool {
		h.groups, h.at = append(h.groups, known), append(h.at, time.Since(began))
		for _, k := range known {
			if _, twice := h.all[k.Index]; twice {
				t.Errorf("company %d is reported twice", k.Index)
			}
			if k.Err == nil && k.Answer.Value.TaxID != cuis[k.Index] {
				t.Errorf("company %d is %s", k.Index, k.Answer.Value.TaxID)
			}

			h.all[k.Index] = k
		}

		return true
	})
	return h
}

// want fails the test unless a list has reported a number of companies, and a number of answers.
func (h *heard) want(t *testing.T, all, answered int) {
	t.Helper()
	n := 0
	for _, k := range h.all {
		if k.Err == nil {
			n++
		}
	}

	if len(h.all) != all || n != answered {
		t.Errorf("heard of %d companies, %d with an answer; want %d, %d", len(h.all), n, all, answered)
	}
}

func TestListOfStoredCompanies(t *testing.T) {
	opened(t, DefaultLifetimes, func(t *testing.T, o *registry) {
		o.listen(t.Context(), t, invented.CUIs(0, 250), 25*time.Second).want(t, 250, 250)
		calls := len(o.called())
		h := o.listen(t.Context(), t, append(invented.CUIs(500, 2), invented.CUIs(0, 250)...), 25*time.Second)
		h.want(t, 252, 252)
		if len(h.groups[0]) != 100 || len(h.groups[1]) != 100 || len(h.groups[2]) != 50 || h.at[2] != 0 {
			t.Errorf("%d groups, at %v", len(h.groups), h.at)
		}

		for i, k := range h.all {
			if want := map[bool]string{true: op.Miss, false: op.Hit}[i < 2]; k.Answer.Cache != want {
				t.Errorf("company %d: %s", i, k.Answer.Cache)
			}
		}

		if n := len(o.called()) - calls; n > 2 {
			t.Errorf("%d calls for two companies", n)
		}
	})
}

// A thousand new companies take only as long as the ration requires. They do not slow down single look-ups, even of the
// same caller.
func TestListOfNewCompanies(t *testing.T) {
	for name, single := range map[string]byte{"the same caller": 1, "another caller": 2} {
		t.Run(name, func(t *testing.T) {
			opened(t, DefaultLifetimes, func(t *testing.T, o *registry) {
				var singles sync.WaitGroup
				var mu sync.Mutex
				var took []time.Duration
				for i := range 100 {
					singles.Go(func() {
						<-time.After(time.Duration(i) * 97 * time.Millisecond)
						began := time.Now()
						cui := invented.CUI(5000 + i)
						if _, err := o.served.Company(from(t.Context(), single), today(cui)); err != nil {
							t.Error(err)
						}

						mu.Lock()
						defer mu.Unlock()
						took = append(took, time.Since(began))
					})
				}

				began := time.Now()
				h := o.listen(from(t.Context(), 1), t, invented.CUIs(0, 1000), 25*time.Second)
				all := time.Since(began)
				h.want(t, 1000, 1000)
				singles.Wait()
				slices.Sort(took)
				t.Logf("the list took %s in %d groups; single look-ups: median %s, longest %s", all, len(h.groups),
					took[50], took[99])
				if all > 13*time.Second || took[99] > 2200*time.Millisecond {
					t.Error("the list took too long")
				}
			})
		})
	}
}

// Twenty concurrent lists neither fill the queue nor starve each other. A single look-up waits no longer than beside
// one list.
func TestManyListsAtOnce(t *testing.T) {
	opened(t, DefaultLifetimes, func(t *testing.T, o *registry) {
		const lists, each, wait = 20, 1000, 25 * time.Second
		answered := make([]int, lists)
		var running sync.WaitGroup
		for n := range lists {
			running.Go(func() {
				h := o.listen(from(t.Context(), byte(n)), t, invented.CUIs(n*each, each), wait)
				for _, k := range h.all {
					if k.Err == nil {
						answered[n]++
					}
				}

				if len(h.all) != each {
					t.Errorf("list %d heard of %d companies", n, len(h.all))
				}
			})
		}

		var longest time.Duration
		for i := range 20 {
			<-time.After(time.Second)
			began := time.Now()
			if _, err := o.served.Company(from(t.Context(), 200), today(invented.CUI(90_000+i))); err != nil {
				t.Error(err)
			}

			longest = max(longest, time.Since(began))
			if s := o.lookup.Stats(); s.Interactive > maxRequested || s.Refused != 0 {
				t.Errorf("%d wait, %d refused", s.Interactive, s.Refused)
			}
		}

		running.Wait()
		t.Logf("answered in %s: %v; the longest single look-up took %s", wait, answered, longest)
		sum := 0
		for _, n := range answered {
			sum += n
		}
		// The lists that happen to begin first get slots for more than their share, so the shares are not equal.
		if slices.Min(answered) < sum/lists/2 || longest > 2200*time.Millisecond {
			t.Error("not fair")
		}
	})
}

// If a list cannot wait for a company, the company is still fetched, and the next list finds it.
func TestListContinuesInTheBackground(t *testing.T) {
	opened(t, DefaultLifetimes, func(t *testing.T, o *registry) {
		h := o.listen(t.Context(), t, invented.CUIs(0, 1000), 3*time.Second)
		if len(h.all) != 1000 || h.at[len(h.at)-1] > 3*time.Second {
			t.Errorf("heard of %d companies by %s", len(h.all), h.at[len(h.at)-1])
		}

		missing := 0
		for _, k := range h.all {
			var f *op.Failure
			switch {
			case k.Err == nil:
			case !errors.As(k.Err, &f) || f.Kind != op.TimedOut || f.RetryAfter < 5*time.Second:
				t.Error(k.Err)
			default:
				missing++
			}
		}

		if missing < 600 || missing > 900 {
			t.Errorf("%d are missing", missing)
		}

		<-time.After(12 * time.Second)
		calls := len(o.called())
		h = o.listen(t.Context(), t, invented.CUIs(0, 1000), 3*time.Second)
		if h.want(t, 1000, 1000); h.at[len(h.at)-1] != 0 || len(o.called()) != calls {
			t.Errorf("the second call took %s and %d calls", h.at[len(h.at)-1], len(o.called())-calls)
		}
	})
}

func TestListStopsWhenItsCallerSaysSo(t *testing.T) {
	for name, blocks := range map[string]time.Duration{"in time": 0, "after its time is over": 30 * time.Second} {
		t.Run(name, func(t *testing.T) {
			opened(t, DefaultLifetimes, func(t *testing.T, o *registry) {
				calls := 0
				thousand := allToday(invented.CUIs(0, 1000))
				o.served.Companies(t.Context(), thousand, 20*time.Second, func([]company.Found) bool {
					calls++
					<-time.After(blocks) // a client that does not read
					return false
				})
				if calls != 1 {
					t.Errorf("called %d times", calls)
				}
			})
		})
	}
}

func TestListSaysWhenToAskAgain(t *testing.T) {
	for name, fetch := range map[string]func() error{
		"the registry timed out": func() error {
			return &op.Failure{Registry: "anaf", Kind: op.TimedOut, Err: errors.New("slow")}
		},
		"the list's time is over": func() error {
			<-time.After(5 * time.Second)
			return errors.New("never heard")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := serving(t, func(context.Context, ro.CompanyDay) (*anaf.Record, error) { return nil, fetch() })
				n := 0
				r.Companies(t.Context(), allToday(invented.CUIs(0, 3)), time.Second, func(known []company.Found) bool {
					for _, k := range known {
						n++
						var f *op.Failure
						if !errors.As(k.Err, &f) || f.Kind != op.TimedOut || f.RetryAfter < time.Second {
							t.Errorf("%v, again after %+v", k.Err, f)
						}
					}

					return true
				})
				if n != 3 {
					t.Errorf("heard of %d companies", n)
				}

				<-time.After(time.Minute)
			})
		})
	}
}

func TestListThatIsGivenUp(t *testing.T) {
	for name, listen := range map[string]func(t *testing.T, o *registry){
		"by its context": func(t *testing.T, o *registry) {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			o.listen(ctx, t, invented.CUIs(0, 1000), 25*time.Second)
		},
		"by its caller": func(t *testing.T, o *registry) {
			began := time.Now()
			o.served.Companies(t.Context(), allToday(invented.CUIs(0, 1000)), 25*time.Second,
				func([]company.Found) bool {
					return time.Since(began) < 3*time.Second
				})
		},
		"by the end of the service": func(t *testing.T, o *registry) {
			o.listen(t.Context(), t, invented.CUIs(0, 1000), 3*time.Second)
			o.served.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			opened(t, DefaultLifetimes, func(t *testing.T, o *registry) {
				listen(t, o)
				calls := len(o.called())
				<-time.After(30 * time.Second)
				if n := len(o.called()) - calls; n > (maxRequested+maxFetched)/100 {
					t.Errorf("%d calls after the list ended", n)
				}
			})
		})
	}
}

func TestListSaysThatNothingBecameKnown(t *testing.T) {
	opened(t, DefaultLifetimes, func(t *testing.T, o *registry) {
		o.latency = 11 * time.Second
		h := o.listen(t.Context(), t, invented.CUIs(0, 1), 25*time.Second)
		if h.want(t, 1, 1); len(h.groups) != 2 || len(h.groups[0]) != 0 || h.at[0] != heartbeat {
			t.Errorf("%d groups, at %v", len(h.groups), h.at)
		}
	})
}

// A call that hangs delays a list, without losing companies.
func TestListOutlastsAHang(t *testing.T) {
	opened(t, DefaultLifetimes, func(t *testing.T, o *registry) {
		if _, err := o.served.Company(t.Context(), today(invented.CUI(9000))); err != nil {
			t.Fatal(err)
		}

		o.hang.Store(1)
		h := o.listen(t.Context(), t, invented.CUIs(0, 600), 25*time.Second)
		if h.want(t, 600, 600); h.at[len(h.at)-1] > 14*time.Second {
			t.Errorf("took %s", h.at[len(h.at)-1])
		}
	})
}

func TestListRefreshesWhatIsStale(t *testing.T) {
	opened(t, DefaultLifetimes, func(t *testing.T, o *registry) {
		o.listen(t.Context(), t, invented.CUIs(0, 500), 25*time.Second)
		<-time.After(30 * time.Hour)
		h := o.listen(t.Context(), t, invented.CUIs(0, 500), 25*time.Second)
		if h.want(t, 500, 500); h.at[len(h.at)-1] != 0 || !h.all[499].Answer.Value.Sources[0].Stale {
			t.Errorf("took %v", h.at)
		}

		<-time.After(8 * time.Second)
		for _, k := range o.listen(t.Context(), t, invented.CUIs(0, 500), 25*time.Second).all {
			if k.Answer.Value.Sources[0].Stale {
				t.Fatalf("company %d is still stale", k.Index)
			}
		}
	})
}

func TestListWaitsForRoomInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		r := serving(t, func(_ context.Context, asked ro.CompanyDay) (*anaf.Record, error) {
			if time.Since(began) < 5*time.Second {
				return nil, &op.Failure{Registry: "anaf", Kind: op.Closed, Err: ration.ErrBusy}
			}
			return recordOf(asked.CUI), nil
		})
		n := 0
		r.Companies(t.Context(), allToday(invented.CUIs(0, 10)), 25*time.Second, func(known []company.Found) bool {
			for _, k := range known {
				if n++; k.Err != nil {
					t.Error(k.Err)
				}
			}

			return true
		})
		if n != 10 || time.Since(began) > 6*time.Second {
			t.Errorf("%d companies after %s", n, time.Since(began))
		}
	})
}

// BenchmarkStoredList looks up a thousand stored companies.
func BenchmarkStoredList(b *testing.B) {
	r := serving(b, func(_ context.Context, asked ro.CompanyDay) (*anaf.Record, error) {
		return recordOf(asked.CUI), nil
	})
	cuis, n := invented.CUIs(0, 1000), 0
	count := func(known []company.Found) bool {
		for _, k := range known {
			if k.Answer.Cache == op.Hit && k.Answer.Document != nil {
				n++
			}
		}

		return true
	}
	r.Companies(b.Context(), allToday(cuis), time.Minute, count)
	b.ReportAllocs()
	for b.Loop() {
		n = 0
		if r.Companies(b.Context(), allToday(cuis), time.Minute, count); n != len(cuis) {
			b.Fatal(n)
		}
	}
}

// TestListsInMemory bounds the memory of twenty waiting lists of new companies, besides the cache.
func TestListsInMemory(t *testing.T) {
	opened(t, DefaultLifetimes, func(t *testing.T, o *registry) {
		used := func() int64 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return int64(m.HeapInuse + m.StackInuse)
		}
		before := used()
		var running sync.WaitGroup
		for n := range 20 {
			running.Go(func() { o.listen(from(t.Context(), byte(n)), t, invented.CUIs(n*1000, 1000), 10*time.Second) })
		}

		var most int64
		for range 9 {
			<-time.After(time.Second)
			most = max(most, used()-before)
		}

		running.Wait()
		t.Logf("%d KiB", most>>10)
		if most > 64<<20 {
			t.Errorf("the lists hold %d MiB", most>>20)
		}
	})
}

// crashing is a trade register with an entry that cannot be read.
type crashing struct {
	trade
	of ro.CUI
}

func (c *crashing) ByTaxID(cui ro.CUI) ([]search.Firm, ro.Date, error) {
	if cui == c.of {
		panic("a mistake of ours")
	}
	return c.trade.ByTaxID(cui)
}

// A panic fails one company only.
func TestListSurvivesAPanic(t *testing.T) {
	opened(t, DefaultLifetimes, func(t *testing.T, o *registry) {
		o.served.trade = &crashing{of: invented.CUI(1)}
		h := o.listen(t.Context(), t, invented.CUIs(0, 3), 25*time.Second)
		h.want(t, 3, 2)
		if h.all[1].Err == nil {
			t.Error("no error for the company that caused the panic")
		}
	})
}
