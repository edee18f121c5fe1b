package service

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/testkit/standin"
)

// observed is a service over stand-ins, with a separate data directory.
type observed struct {
	*Service
	dataDir    string
	registries *standin.Registries
}

func newObserved(tb testing.TB, o standin.Options) *observed {
	tb.Helper()
	return &observed{dataDir: tb.TempDir(), registries: standin.For(tb, o)}
}

// start starts a configuration, and stops the previous one, as in a reload.
func (o *observed) start(tb testing.TB, environment string) {
	tb.Helper()
	s := openTest(tb, fmt.Sprintf(`{"environment": %q, "data_dir": %q,
		"anonymous": {"per_second": 1000000, "burst": 1000000},
		"upstreams": {"anaf_files": {"off": true}, "anaf": {"url": %q, "pace": "10ms"}, "bnr": {"url": %q},
			"vies": {"url": "http://127.0.0.1:1"}, "onrc": {"off": true}}}`,
		environment, o.dataDir, o.registries.ANAF.URL, o.registries.BNR.URL))
	o.stop(tb)
	o.Service = s
}

func (o *observed) stop(tb testing.TB) {
	tb.Helper()
	if o.Service == nil {
		return
	}

	end(tb, o.Service)
	o.Service = nil
}

// end closes a service, and waits until the last of its requests has left and its files are closed.
func end(tb testing.TB, s *Service) {
	tb.Helper()
	if err := s.Close(); err != nil {
		tb.Error(err)
	}

	s.closing.Wait()
}

// enter registers a request with the service or, if that is closed, with its successor.
func (o *observed) enter() *Service {
	if o.Enter() {
		return o.Service
	}
	return Enter()
}

// get requests a company, and returns the status.
func (o *observed) get(tb testing.TB, cui ro.CUI) int {
	s := o.enter()
	if s == nil {
		tb.Error("no service is open")
		return 0
	}
	defer s.Leave()

	w := httptest.NewRecorder()
	s.REST.ServeHTTP(w, httptest.NewRequest("GET", "/v1/companies/"+cui.String(), nil))
	return w.Code
}

// wantObserved fails unless every company was observed.
func wantObserved(tb testing.TB, db *historystore.DB, companies ...ro.CUI) {
	tb.Helper()
	for _, cui := range companies {
		all, _, err := db.Of(context.Background(), cui)
		if len(all) == 0 || err != nil {
			tb.Errorf("company %s was not observed: %v", cui, err)
		} else if o := all[len(all)-1]; o.Day != ro.Today() || len(o.Record) == 0 {
			tb.Errorf("company %s was not observed: %+v", cui, o)
		}
	}
}

// Every company that was answered has been observed, even across reloads under load. The file is closed with the last
// configuration.
func TestAnswersWereObserved(t *testing.T) {
	o := newObserved(t, standin.Options{Everybody: true})
	o.start(t, "production")
	const callers, reloads = 8, 3
	companies := invented.CUIs(10_000, callers*200)

	var current atomic.Pointer[observed]
	current.Store(&observed{Service: o.Service})
	stop := make(chan struct{})
	var asked atomic.Int64
	var running sync.WaitGroup
	for range callers {
		running.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}

				n := asked.Add(1)
				if int(n) > len(companies) {
					return
				}

				a := current.Load()
				if status := a.get(t, companies[n-1]); status != http.StatusOK {
					t.Errorf("company %s: got %d", companies[n-1], status)
				}
				if s := a.enter(); s != nil {
					wantObserved(t, s.History, companies[n-1])
					s.Leave()
				}
			}
		})
	}

	for i := range reloads {
		before := asked.Load()
		for asked.Load() < before+2*callers {
			<-time.After(time.Millisecond)
		}

		previous := o.Service
		o.Service = nil
		o.start(t, []string{"sandbox", "production"}[i%2])
		current.Store(&observed{Service: o.Service})
		end(t, previous)
	}

	close(stop)
	running.Wait()
	o.stop(t)

	db, err := historystore.Open(t.Context(), filepath.Join(o.dataDir, "history.db"))
	testkit.NoError(t, err)
	defer db.Close()

	wantObserved(t, db, companies[:min(int(asked.Load())-callers, len(companies))]...)
}

// BenchmarkMiss measures an uncached company, among a hundred requested concurrently. The share of the observations is
// in its profile: see docs/performance.md.
func BenchmarkMiss(b *testing.B) {
	o := newObserved(b, standin.Options{Everybody: true})
	o.start(b, "production")
	defer o.stop(b)
	companies := invented.CUIs(10_000, b.N)
	b.ResetTimer()
	for len(companies) > 0 {
		some := companies[:min(100, len(companies))]
		companies = companies[len(some):]
		var callers sync.WaitGroup
		for _, cui := range some {
			callers.Go(func() {
				if status := o.get(b, cui); status != http.StatusOK {
					b.Errorf("company %s: got %d", cui, status)
				}
			})
		}

		callers.Wait()
	}
}

func TestPatience(t *testing.T) {
	now := time.Now()
	var p patience
	for range 3 {
		if got := p.next(now); got != fullPatience {
			t.Errorf("with a store that answers: %s", got)
		}
	}

	if p.report(false) || !p.report(true) || p.report(true) {
		t.Error("only the first failure is news")
	}
	if got := p.next(now.Add(probePause - 1)); got != failingPatience {
		t.Errorf("after a failure: %s", got)
	}
	if got := p.next(now.Add(probePause)); got != fullPatience {
		t.Errorf("a while later: %s", got)
	}
	if got := p.next(now.Add(probePause + 1)); got != failingPatience {
		t.Errorf("beside the call that tries: %s", got)
	}
	if !p.report(false) || p.next(now.Add(probePause+2)) != fullPatience {
		t.Error("the store is back")
	}
}
