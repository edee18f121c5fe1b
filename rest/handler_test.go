package rest

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// anyEvent accepts every event.
type anyEvent struct{}

func (anyEvent) Expect(string) error                           { return nil }
func (anyEvent) Receive(context.Context, []byte, string) error { return nil }

// newHandler returns a handler without registries. A request comes from its RemoteAddr.
func newHandler(tb testing.TB) *Handler {
	tb.Helper()
	buckets, logger := metering.NewBuckets(), slog.New(slog.DiscardHandler)
	operations := api.Operations(api.Registries{}, metering.DefaultPlans(), system.About{})
	return New(Options{
		Gateway: &op.Gateway{Plans: metering.DefaultPlans(), Anonymous: metering.PerSecond(1e6, 1e6),
			Buckets: buckets, Logger: logger},
		Operations: operations, Callbacks: []*op.Callback{customer.StripeCallback(anyEvent{})},
		BaseURL: func(r *http.Request) string { return "https://" + r.Host },
		Address: func(r *http.Request) netip.Addr {
			from, _ := netip.ParseAddrPort(r.RemoteAddr)
			return from.Addr()
		},
		Buckets: buckets, Events: new(op.Slots), Logger: logger,
		LogPath: func(path string) string { return path },
	})
}

func newRequest(method, target string, body io.Reader) *http.Request {
	return httptest.NewRequest(method, target, body)
}

func answer(h http.Handler, r *http.Request) *http.Response {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func TestPanicBehindAnAnswer(t *testing.T) {
	defer func() {
		if p := recover(); p != http.ErrAbortHandler {
			t.Errorf("recovered %v, want the connection aborted", p)
		}
	}()
	x := newHandler(t).exchange(brokenWriter{httptest.NewRecorder()}, newRequest("GET", "/health", nil))
	defer x.recover()
	x.refuse(problem.NotFound.New("nothing"))
}

// If a delegate panics in the middle of its answer, no second answer follows the first.
func TestPanicOfAnotherHandler(t *testing.T) {
	half := func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "{")
		panic("as expected")
	}
	w := httptest.NewRecorder()
	defer func() {
		if p := recover(); p != http.ErrAbortHandler || w.Body.String() != "{" {
			t.Errorf("recovered %v after %q, want the connection aborted", p, w.Body)
		}
	}()
	var log bytes.Buffer
	h := newHandler(t)
	h.Logger = slog.New(slog.NewTextHandler(&log, nil))
	defer func() {
		if !strings.Contains(log.String(), "as expected") {
			t.Errorf("the log lacks the cause: %s", &log)
		}
	}()
	x := h.exchange(w, newRequest("GET", "/api/auth/ok", nil))
	defer x.recover()
	x.handOver(http.HandlerFunc(half))
}

// brokenWriter panics when a body is written.
type brokenWriter struct{ http.ResponseWriter }

func (brokenWriter) Write([]byte) (int, error) { panic("broken") }

func TestRequestIDIsRepeated(t *testing.T) {
	h := newHandler(t)
	for id, want := range map[string]bool{
		"0a-B_9": true, strings.Repeat("x", 64): true, strings.Repeat("x", 65): false, "a b": false, "": false,
		"ș": false, "<b>": false,
	} {
		r := newRequest("GET", "/health", nil)
		r.Header.Set("X-Request-Id", id)
		res := answer(h, r)
		if got := res.Header.Get("X-Request-Id") == id && id != ""; got != want {
			t.Errorf("%q is repeated: %v", id, got)
		}
	}
}

// A client that already has the description gets a 304, whatever form of If-None-Match it sends.
func TestDescriptionIsNotSentAgain(t *testing.T) {
	h := newHandler(t)
	first := answer(h, newRequest("GET", "/openapi.json", nil))
	tag := first.Header.Get("Etag")
	for name, c := range map[string]struct {
		header []string
		status int
	}{
		"nothing":                {nil, 200},
		"the tag":                {[]string{tag}, 304},
		"weak":                   {[]string{"W/" + tag}, 304},
		"of the compressed form": {[]string{strings.TrimSuffix(tag, `"`) + `-gzip"`}, 304},
		"in a list":              {[]string{`"other", ` + tag}, 304},
		"in a second header":     {[]string{`"other"`, tag}, 304},
		"any":                    {[]string{"*"}, 304},
		"another":                {[]string{`"other"`}, 200},
	} {
		r := newRequest("GET", "/openapi.json", nil)
		r.Header["If-None-Match"] = c.header
		res := answer(h, r)
		body, _ := io.ReadAll(res.Body)
		want := tag
		if name == "of the compressed form" {
			want = c.header[0]
		}
		if res.StatusCode != c.status || (len(body) > 0) != (c.status == 200) || res.Header.Get("Etag") != want {
			t.Errorf("%s: %d, %d bytes, %v", name, res.StatusCode, len(body), res.Header)
		}
	}
}
