package caddymodule

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/rodata/rodata/caddymodule/settings"
	"github.com/rodata/rodata/testkit"
)

// newTestHandler returns a handler whose app is open, over registries that cannot be reached. The test may clean the
// app up before it ends.
func newTestHandler(t *testing.T) *Handler {
	t.Helper()
	app, err := provision(t, `{"data_dir": "`+t.TempDir()+`", "base_url": "https://api.example.ro",
		"upstreams": `+noUpstreams+`}`)
	testkit.NoError(t, err)
	testkit.NoError(t, app.Start())

	t.Cleanup(func() {
		if app.closed {
			return
		}
		if err := app.Cleanup(); err != nil {
			t.Error(err)
		}
	})
	return &Handler{guest: guest{app}}
}

// noUpstreams are settings of registries that cannot be reached.
const noUpstreams = `{"anaf_files": {"off": true}, "anaf": {"url": "http://127.0.0.1:1"},
	"bnr": {"url": "http://127.0.0.1:1"}, "vies": {"url": "http://127.0.0.1:1"}, "onrc": {"off": true}}`

// isIdle cleans an app up, and reports whether that closed its service at once. It does not while a request is in
// flight.
func isIdle(t *testing.T, a *App) bool {
	t.Helper()
	if err := a.Cleanup(); err != nil {
		t.Error(err)
	}

	return a.running.Load().Ready(t.Context()) != nil // the store is closed
}

// newRequest returns a request as prepared by Caddy.
func newRequest(method, target string, body io.Reader) *http.Request {
	r := httptest.NewRequest(method, target, body)
	r = caddyhttp.PrepareRequest(r, caddy.NewReplacer(), nil, nil)
	caddyhttp.SetVar(r.Context(), caddyhttp.ClientIPVarKey, "192.0.2.7")
	return r
}

var errPassedOn = errors.New("passed on")

// answer returns the handler's answer; ok is false if it passes the request on.
func answer(t *testing.T, h *Handler, r *http.Request) (res *http.Response, ok bool) {
	t.Helper()
	w := httptest.NewRecorder()
	err := h.ServeHTTP(w, r, caddyhttp.HandlerFunc(func(http.ResponseWriter, *http.Request) error {
		return errPassedOn
	}))
	if err != nil && err != errPassedOn {
		t.Fatal(err)
	}

	return w.Result(), err == nil
}

func TestHandledPaths(t *testing.T) {
	h := newTestHandler(t)
	for path, want := range map[string]bool{
		"/v1": true, "/v1/": true, "/v1/nothing": true, "/problems": true, "/problems/": true, "/health": true,
		"/openapi.json": true, "/api/auth": true, "/api/auth/x": true,
		"/": false, "/v2": false, "/v1x": false, "/health/": false, "/healthy": false, "/index.html": false,
		"/api/v1":    false,
		"/api/authx": false, "/mcp": false,
	} {
		if _, ok := answer(t, h, newRequest("GET", path, nil)); ok != want {
			t.Errorf("%s is answered: %v, want %v", path, ok, want)
		}
	}
}

func TestPanicIsAProblem(t *testing.T) {
	h := newTestHandler(t)
	h.app.running.Load().REST.Delegate = func(string) http.Handler { panic("as expected") }
	res, _ := answer(t, h, newRequest("GET", "/v1/plans", nil))
	body, _ := io.ReadAll(res.Body)
	if res.StatusCode != 500 || !strings.Contains(string(body), `"type":"https://api.example.ro/problems/internal"`) ||
		strings.Contains(string(body), "as expected") {
		t.Errorf("got %d %s", res.StatusCode, body)
	}
	if !isIdle(t, h.app) {
		t.Error("the request still counts as in flight")
	}
}

// Requests that the site passes on may last long, like WebSockets. They do not keep a replaced configuration open.
func TestPassedOnRequestsAreNotInFlight(t *testing.T) {
	app := newTestHandler(t).app
	passedOn := false
	next := caddyhttp.HandlerFunc(func(http.ResponseWriter, *http.Request) error {
		passedOn = isIdle(t, app)
		return nil
	})
	if err := (&SiteHandler{guest: guest{app}}).ServeHTTP(httptest.NewRecorder(), newRequest("GET", "/elsewhere", nil),
		next); err != nil || !passedOn {
		t.Errorf("passed on: %v, %v", passedOn, err)
	}
}

func TestClosedServiceAnswers503(t *testing.T) {
	h := newTestHandler(t)
	testkit.NoError(t, h.app.Cleanup())

	res, _ := answer(t, h, newRequest("GET", "/v1/plans", nil))
	if res.StatusCode != 503 || res.Header.Get("Retry-After") != "1" {
		t.Errorf("got %d %v", res.StatusCode, res.Header)
	}
}

func TestClientAddress(t *testing.T) {
	for text, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "2001:db8::1": "2001:db8::1", "@": "invalid IP", "": "invalid IP",
	} {
		r := newRequest("GET", "/", nil)
		caddyhttp.SetVar(r.Context(), caddyhttp.ClientIPVarKey, text)
		if got := clientAddress(r); got.String() != want || got == (netip.Addr{}) != (want == "invalid IP") {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestServiceAddress(t *testing.T) {
	for name, c := range map[string]struct {
		base, host, forwarded string
		trusted               bool
		want                  string
	}{
		"configured":    {base: "https://api.example.ro", host: "other", want: "https://api.example.ro"},
		"the request's": {host: "edge.example.ro:8080", want: "http://edge.example.ro:8080"},
		"behind a trusted proxy": {host: "edge.example.ro", forwarded: "https", trusted: true,
			want: "https://edge.example.ro"},
		"behind a stranger": {host: "edge.example.ro", forwarded: "https", want: "http://edge.example.ro"},
		"behind a confused proxy": {host: "edge.example.ro", forwarded: "gopher", trusted: true,
			want: "http://edge.example.ro"},
		"configured, behind proxy": {base: "https://a.example.ro/x", host: "b", forwarded: "https", trusted: true,
			want: "https://a.example.ro/x"},
	} {
		r := newRequest("GET", "http://"+c.host+"/", nil)
		r.Header.Set("X-Forwarded-Proto", c.forwarded)
		caddyhttp.SetVar(r.Context(), caddyhttp.TrustedProxyVarKey, c.trusted)
		if got := (&App{Settings: settings.Settings{BaseURL: c.base}}).URL(r); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestErrorsOfTheWebServerAreProblems(t *testing.T) {
	h := &ProblemHandler{guest: guest{new(App)}}
	for name, c := range map[string]struct {
		err    error
		status int
		slug   string
	}{
		"not found":        {caddyhttp.Error(404, nil), 404, "not-found"},
		"header too large": {caddyhttp.Error(431, nil), 431, "invalid-request"},
		"not implemented":  {caddyhttp.Error(501, nil), 501, "internal"},
		"bad gateway":      {caddyhttp.Error(502, errors.New("dial tcp 10.0.0.1")), 502, "upstream-error"},
		"unavailable":      {caddyhttp.Error(503, errors.New("dial tcp 10.0.0.1")), 503, "unavailable"},
		"without a status": {errors.New("dial tcp 10.0.0.1"), 500, "internal"},
		"no error":         {nil, 404, "not-found"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRequest("GET", "http://edge.example.ro/x", nil)
			r = r.WithContext(context.WithValue(r.Context(), caddyhttp.ErrorCtxKey, c.err))
			w := httptest.NewRecorder()
			testkit.NoError(t, h.ServeHTTP(w, r, nil))

			got := w.Body.String()
			if w.Code != c.status || w.Header().Get("Content-Type") != "application/problem+json" ||
				!strings.Contains(got, `"type":"http://edge.example.ro/problems/`+c.slug+`"`) ||
				strings.Contains(got, "10.0.0.1") {
				t.Errorf("got %d %s", w.Code, got)
			}

			if (w.Header().Get("Retry-After") != "") != (c.status == 503) {
				t.Errorf("Retry-After is %q", w.Header().Get("Retry-After"))
			}
		})
	}
}
