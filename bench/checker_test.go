package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestOracleTellsWrongFromRight(t *testing.T) {
	const first = `{"taxId":9900000010,"sources":[{"retrievedAt":"2026-06-01T10:00:00Z","cache":"MISS"}]}`
	for name, c := range map[string]struct {
		status int
		body   string
		fails  bool
	}{
		"the same":                {200, first, false},
		"from the cache":          {200, strings.Replace(first, "MISS", "HIT", 1), false},
		"retrieved later":         {200, strings.Replace(first, "06-01", "06-02", 1), false},
		"another company":         {200, strings.Replace(first, "9900000010", "9900000029", 1), true},
		"cut":                     {200, first[:20], true},
		"refused":                 {429, first, true},
		"stale where it was not":  {200, strings.Replace(first, `}]`, `,"stale":true}]`, 1), true},
		"two answers in one body": {200, first + first, true},
	} {
		o := newChecker(nil, "retrievedAt", "cache")
		o.truth["/"] = &truth{exact: []byte(first), normal: o.normalise([]byte(first))}
		o.record("/", c.status, []byte(c.body), time.Millisecond)
		if err := o.verdict(); (err != nil) != c.fails {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCallsAreDueAtAConstantRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, due := time.Now(), make(chan time.Time, 100)
		go schedule{rate: 100, duration: 3 * time.Second}.feed(t.Context(), start, due)
		calls := 0
		for at := range due {
			if want := start.Add(time.Duration(calls) * 10 * time.Millisecond); at != want ||
				time.Since(at) > time.Millisecond {
				t.Fatalf("call %d was due at %s and came at %s", calls, at.Sub(start), time.Since(start))
			}

			calls++
		}

		if calls != 300 {
			t.Errorf("%d calls in three seconds", calls)
		}
	})
}

func TestRunEndsWhenTheServerFails(t *testing.T) {
	var calls atomic.Int32
	failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) > 10 {
			panic(http.ErrAbortHandler)
		}
		w.Write([]byte("{}"))
	}))
	defer failing.Close()
	k := &soak{checker: newChecker(nil, "cache")}
	k.workload = &workload{companies: []string{"/"}, rates: []string{"/"}, reference: []string{"/"}}
	k.truth["/"] = &truth{exact: []byte("{}")}
	if err := (schedule{1000, time.Hour, 4}).drive(context.Background(), failing.Listener.Addr().String(),
		k.call); err == nil {
		t.Error("the run went on")
	}
}
