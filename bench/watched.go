package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/testkit/loopback"
)

// watchedWithin is the maximum time to look at 100,000 watched companies once.
const watchedWithin = 20 * time.Minute

// measureWatched measures how long the mirror takes to look at all companies of a watch-list once, at the pace that
// the tax authority allows.
func measureWatched(f *flag.FlagSet) func(context.Context, *testbed) error {
	n := f.Int("companies", 100_000, "companies in the watch-list")
	return func(ctx context.Context, s *testbed) error {
		w, err := s.watching(ctx)
		if err != nil {
			return err
		}

		start := time.Now()
		if err := w.add(ctx, *n); err != nil {
			return err
		}

		added := time.Since(start)
		asked := s.registries.ANAF.Requests
		before := asked()
		err = until(ctx, time.Second/10, func() (bool, error) { return asked().Numbers-before.Numbers >= *n, nil })
		if err != nil {
			return err
		}

		took, requests := time.Since(start)-added, asked().Requests-before.Requests
		// The mirror counts the stored looks every few minutes.
		if err := until(ctx, 5*time.Second, func() (bool, error) { return w.lookedAt(*n) }); err != nil {
			return err
		}

		printHeader("companies", "table read and paid", "all looked at after", "requests to the tax authority")
		fmt.Printf("| %d | %s | %s | %d |\n", *n, added.Round(10*time.Millisecond), took.Round(time.Second), requests)
		if most := watchedWithin * time.Duration(*n) / 100_000; took > most {
			return fmt.Errorf("looking at %d companies took %s, longer than %s", *n, took, most)
		}

		return nil
	}
}

// watcher is a gateway with an account that watches companies.
type watcher struct {
	server *server
	admin  string // its address for operators
	key    string
}

// watching starts a gateway whose mirror may use the whole ration, and opens an account there.
func (s *testbed) watching(ctx context.Context) (*watcher, error) {
	return s.withAccount(ctx, "watched", withOption(s.paced("watched"), "observe {\n\t\t\tshare 100%\n\t\t}"))
}

// withAccount starts a gateway with these options, and opens an account there.
func (s *testbed) withAccount(ctx context.Context, name, app string) (*watcher, error) {
	admin := loopback.FreeAddress()
	config := strings.Replace(site(app, "\trodata\n"), "admin off", "admin "+admin, 1)
	server, err := s.caddy(ctx, name, config)
	if err != nil {
		return nil, err
	}

	w := &watcher{server: server, admin: admin}
	if _, err := fetch(w.server.address, get(w.server.address, "/v1/plans")); err != nil { // the gateway opens last
		return nil, err
	}

	return w, w.openAccount(ctx)
}

// openAccount creates the account and its key.
func (w *watcher) openAccount(ctx context.Context) error {
	var account struct{ ID string }
	if err := w.operate(ctx, "/rodata/accounts", `{"plan":"enterprise"}`, &account); err != nil {
		return err
	}

	var created struct{ Key string }
	err := w.operate(ctx, "/rodata/accounts/"+account.ID+"/keys", `{"name":"bench"}`, &created)
	w.key = created.Key
	return err
}

// operate sends an operator's request, and decodes the answer.
func (w *watcher) operate(ctx context.Context, path, body string, answer any) error {
	return w.send(ctx, "http://"+w.admin+path, "application/json", strings.NewReader(body), answer)
}

// add puts companies into the account's watch-list, in one table.
func (w *watcher) add(ctx context.Context, n int) error {
	table := bytes.NewBufferString("cui\n")
	for numbers := new(misses); n > 0; n-- {
		fmt.Fprintln(table, numbers.company())
	}

	var result monitoring.WatchResult
	err := w.send(ctx, "http://"+w.server.address+"/v1/watchlists/default/companies", "text/csv", table, &result)
	if err == nil && result.Failed > 0 {
		err = fmt.Errorf("%d of %d companies are not watched", result.Failed, result.Count)
	}

	return err
}

func (w *watcher) send(ctx context.Context, url, mediaType string, body io.Reader, answer any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, body)
	if err != nil {
		return err
	}

	r.Header.Set("Content-Type", mediaType)
	if w.key != "" {
		r.Header.Set("Authorization", "Bearer "+w.key)
	}

	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()

	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("%s answered %d: %s", url, res.StatusCode, text)
	}
	if err != nil {
		return err
	}

	return json.Unmarshal(text, answer)
}

// lookedAt reports whether the gateway has looked at a number of companies.
func (w *watcher) lookedAt(n int) (bool, error) {
	var status struct {
		Mirror *system.MirrorStatus `json:"mirror"`
	}
	text, err := fetch(w.server.address, get(w.server.address, "/v1/status"))
	if err != nil {
		return false, err
	}
	if err := json.Unmarshal(text, &status); err != nil {
		return false, err
	}
	if status.Mirror == nil {
		return false, errors.New("the status has no mirror")
	}

	return status.Mirror.LookedAt >= n, nil
}

// until polls until a condition holds.
func until(ctx context.Context, every time.Duration, holds func() (bool, error)) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if ok, err := holds(); ok || err != nil {
			return err
		}

		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
