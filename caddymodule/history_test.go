package caddymodule

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

	"github.com/caddyserver/caddy/v2"

	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/upstreamtest"
)

// observed is an app over stand-ins, with a separate data directory.
type observed struct {
	*App
	dataDir    string
	registries *upstreamtest.Registries
}

func newObserved(tb testing.TB, o upstreamtest.Options) *observed {
	tb.Helper()
	registries, err := upstreamtest.Start(o)
	if err != nil {
		tb.Fatal(err)
	}

	tb.Cleanup(func() {
		if err := registries.Close(); err != nil {
			tb.Error(err)
		}
	})
	return &observed{dataDir: tb.TempDir(), registries: registries}
}

// start starts a configuration, and stops the previous one, as in a reload.
func (o *observed) start(tb testing.TB, environment string) {
	tb.Helper()
	ctx, cancel := caddy.NewContext(caddy.Context{Context: context.Background()})
	tb.Cleanup(cancel)
	app := new(App)
	config := fmt.Sprintf(`{"environment": %q, "data_dir": %q, "anonymous": {"per_second": 1000000, "burst": 1000000},
		"upstreams": {"anaf_files": {"off": true}, "anaf": {"url": %q, "pace": "10ms"}, "bnr": {"url": %q},
			"vies": {"url": "http://127.0.0.1:1"}, "onrc": {"off": true}}}`,
		environment, o.dataDir, o.registries.ANAF.URL, o.registries.BNR.URL)
	if err := caddy.StrictUnmarshalJSON([]byte(config), app); err != nil {
		tb.Fatal(err)
	}

	for _, step := range []func() error{func() error { return app.Provision(ctx) }, app.Validate, app.Start} {
		if err := step(); err != nil {
			tb.Fatal(err)
		}
	}

	o.stop(tb)
	o.App = app
}

func (o *observed) stop(tb testing.TB) {
	tb.Helper()
	if o.App == nil {
		return
	}

	end(tb, o.App)
	o.App = nil
}

// end stops an app, and waits until the last of its requests has left and its files are closed.
func end(tb testing.TB, a *App) {
	tb.Helper()
	s := a.service.Load()
	if err := a.Stop(); err != nil {
		tb.Error(err)
	}
	if err := a.Cleanup(); err != nil {
		tb.Error(err)
	}

	s.closing.Wait()
}

// get requests a company, and returns the status.
func (o *observed) get(tb testing.TB, cui ro.CUI) int {
	w := httptest.NewRecorder()
	err := (&Handler{app: o.App}).ServeHTTP(w, newRequest("GET", "/v1/companies/"+cui.String(), nil), nil)
	if err != nil {
		tb.Error(err)
	}

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

// unseen returns numbers of companies.
func unseen(n int) (all []ro.CUI) {
	for body := ro.CUI(99_100_000); len(all) < n; body++ {
		cui := body * 10
		if cui += ro.CUI(cui.ControlDigit()); cui.Valid() {
			all = append(all, cui)
		}
	}

	return all
}

// Every company that was answered has been observed, even across reloads under load. The file is closed with the last
// configuration.
func TestAnswersWereObserved(t *testing.T) {
	o := newObserved(t, upstreamtest.Options{Everybody: true})
	o.start(t, "production")
	const callers, reloads = 8, 3
	companies := unseen(callers * 200)

	var app atomic.Pointer[observed]
	app.Store(&observed{App: o.App})
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

				a := app.Load()
				if status := a.get(t, companies[n-1]); status != http.StatusOK {
					t.Errorf("company %s: got %d", companies[n-1], status)
				}
				if s := a.enter(); s != nil {
					wantObserved(t, s.observed.DB, companies[n-1])
					s.leave()
				}
			}
		})
	}

	for i := range reloads {
		before := asked.Load()
		for asked.Load() < before+2*callers {
			<-time.After(time.Millisecond)
		}

		previous := o.App
		o.App = nil
		o.start(t, []string{"sandbox", "production"}[i%2])
		app.Store(&observed{App: o.App})
		end(t, previous)
	}

	close(stop)
	running.Wait()
	o.stop(t)

	db, err := historystore.OpenSQLite(t.Context(), filepath.Join(o.dataDir, "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	wantObserved(t, db, companies[:min(int(asked.Load())-callers, len(companies))]...)
}

// BenchmarkMiss measures an uncached company, among a hundred requested concurrently. The share of the observations is
// in its profile: see docs/performance.md.
func BenchmarkMiss(b *testing.B) {
	o := newObserved(b, upstreamtest.Options{Everybody: true})
	o.start(b, "production")
	defer o.stop(b)
	companies := unseen(b.N)
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
