package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/caddymodule/accesslog"
	"github.com/rodata/rodata/caddymodule/settings"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/profile"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/service/telemetry"
	"github.com/rodata/rodata/site"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/onrc"
	"github.com/rodata/rodata/upstream/vies"
	"github.com/rodata/rodata/watch"
)

// oneCompany is a register that knows a single company.
func oneCompany(_ context.Context, asked ro.CompanyDay) (*anaf.Record, error) {
	if asked.CUI != 9900000010 {
		return nil, api.ErrUnknown
	}

	address := strings.Repeat("Strada Exemplului, ", 30)
	return anaf.NewRecord(fmt.Appendf(nil, `{"date_generale":{"cui":%d,"denumire":"EXEMPLU SRL",
		"stare_inregistrare":"INREGISTRAT","adresa":%q}}`, asked.CUI, address)), nil
}

// newTestHandler returns a handler over a service with companies and no other data.
func newTestHandler(tb testing.TB, register func(context.Context, ro.CompanyDay) (*anaf.Record, error)) *Handler {
	tb.Helper()
	c, err := cache.Open(cache.Options{})
	if err != nil {
		tb.Fatal(err)
	}

	tb.Cleanup(func() {
		if err := c.Close(); err != nil {
			tb.Error(err)
		}
	})
	s := &service{
		core:     &core{cache: c, buckets: metering.NewBuckets(), meters: telemetry.NewMeters()},
		watching: &watching{hub: new(watch.Hub)},
	}
	s.companies = profile.NewRegister(c, profile.DefaultLifetimes, cache.Plain(register),
		onrc.Open(onrc.RegisterOptions{Dir: tb.TempDir()}), nil)
	s.operations = api.Operations(api.Registries{
		Companies:  s.companies,
		VATNumbers: vies.NewRegister(c, vies.NewLanes(vies.Options{Client: vies.NewClient(everyNumber{})})),
	}, metering.DefaultPlans(), api.About{})
	logger := slog.New(slog.DiscardHandler)
	s.gateway = &api.Gateway{
		Keys: noKeys{}, Plans: metering.DefaultPlans(), Anonymous: metering.PerSecond(1e6, 1e6),
		Buckets: s.core.buckets, Observe: s.core.meters.Observer(s.operations, accesslog.Record), Logger: logger,
	}
	app := &App{Settings: settings.Settings{BaseURL: "https://api.example.ro"}, logger: logger}
	if err := s.openREST(app); err != nil {
		tb.Fatal(err)
	}

	app.service.Store(s)
	return &Handler{app: app}
}

// everyNumber stands in for VIES; one VAT number is valid.
type everyNumber struct{}

func (everyNumber) Do(context.Context, upstream.Request) (*upstream.Response, error) {
	return &upstream.Response{Status: 200,
		Body: []byte(`{"countryCode":"FR","vatNumber":"46688637511","valid":true,"name":"EXEMPLE SARL","address":"---"}`)}, nil
}

// noKeys is an empty directory.
type noKeys struct{}

func (noKeys) KeyFrom(context.Context, string, netip.Addr) (account.Key, error) {
	return account.Key{}, account.ErrUnknownKey
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
func answer(tb testing.TB, h *Handler, r *http.Request) (res *http.Response, ok bool) {
	tb.Helper()
	w := httptest.NewRecorder()
	err := h.ServeHTTP(w, r, caddyhttp.HandlerFunc(func(http.ResponseWriter, *http.Request) error {
		return errPassedOn
	}))
	if err != nil && err != errPassedOn {
		tb.Fatal(err)
	}

	return w.Result(), err == nil
}

func TestHandledPaths(t *testing.T) {
	h := newTestHandler(t, oneCompany)
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
	h := newTestHandler(t, oneCompany)
	h.app.service.Load().rest.Delegate = func(string) http.Handler { panic("as expected") }
	res, _ := answer(t, h, newRequest("GET", "/v1/plans", nil))
	body, _ := io.ReadAll(res.Body)
	if res.StatusCode != 500 || !strings.Contains(string(body), `"type":"https://api.example.ro/problems/internal"`) ||
		strings.Contains(string(body), "as expected") {
		t.Errorf("got %d %s", res.StatusCode, body)
	}
	if !h.app.service.Load().requests.TryLock() {
		t.Error("the request still counts as in flight")
	}
}

// Requests that the site passes on may last long, like WebSockets. They do not keep a replaced configuration open.
func TestPassedOnRequestsAreNotInFlight(t *testing.T) {
	app := newTestHandler(t, oneCompany).app
	s := app.service.Load()
	s.site = site.New(site.Options{Operations: s.operations, URL: app.URL})
	passedOn := false
	next := caddyhttp.HandlerFunc(func(http.ResponseWriter, *http.Request) error {
		if passedOn = s.requests.TryLock(); passedOn {
			s.requests.Unlock()
		}
		return nil
	})
	if err := (&SiteHandler{app: app}).ServeHTTP(httptest.NewRecorder(), newRequest("GET", "/elsewhere", nil),
		next); err != nil || !passedOn {
		t.Errorf("passed on: %v, %v", passedOn, err)
	}
}

func TestClosedServiceAnswers503(t *testing.T) {
	h := newTestHandler(t, oneCompany)
	if err := h.app.Cleanup(); err != nil {
		t.Fatal(err)
	}

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
	h := &ProblemHandler{app: new(App)}
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
			if err := h.ServeHTTP(w, r, nil); err != nil {
				t.Fatal(err)
			}

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

// recycledWriter is a response writer that allocates nothing.
type recycledWriter struct{ header http.Header }

func (w recycledWriter) Header() http.Header         { return w.header }
func (w recycledWriter) WriteHeader(int)             {}
func (w recycledWriter) Write(p []byte) (int, error) { return len(p), nil }

// hitAllocations is the permitted number of allocations of a hit: the call's observation, which observers may keep.
var hitAllocations = 1.0

func TestHitAllocatesLittle(t *testing.T) {
	h := newTestHandler(t, oneCompany)
	h.app.service.Load().gateway.Anonymous = metering.PerSecond(1000, 1000)
	r, w := newRequest("GET", "/v1/companies/9900000010", nil), recycledWriter{http.Header{}}
	hit := func() {
		if err := h.ServeHTTP(w, r, nil); err != nil {
			t.Fatal(err)
		}
	}
	hit()
	if n := testing.AllocsPerRun(100, hit); n > hitAllocations {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkHit measures our own part of a cached company: at most 2 us and 1 allocation.
func BenchmarkHit(b *testing.B) { benchmarkHit(b, "/v1/companies/9900000010") }

// BenchmarkPastHit measures a stored answer about a past day: at most 1.5 times a hit.
func BenchmarkPastHit(b *testing.B) { benchmarkHit(b, "/v1/companies/9900000010?date=2025-03-31") }

// BenchmarkVATHit measures a stored VAT number, which is a hit like any other.
func BenchmarkVATHit(b *testing.B) { benchmarkHit(b, "/v1/vat-numbers/FR46688637511") }

func benchmarkHit(b *testing.B, path string) {
	h := newTestHandler(b, oneCompany)
	h.app.service.Load().gateway.Anonymous = metering.PerSecond(1000, 1000)
	addresses := make([]any, 1<<10) // so many that none is limited
	for i := range addresses {
		addresses[i] = fmt.Sprintf("192.0.%d.%d", i>>8, i&255)
	}
	// The benchmark reuses one request. A server would have just read it, so it would be in the processor's cache.
	r := newRequest("GET", path, nil)
	vars := r.Context().Value(caddyhttp.VarsCtxKey).(map[string]any)
	if res, _ := answer(b, h, r); res.StatusCode != 200 {
		b.Fatalf("got %d", res.StatusCode)
	}

	w := recycledWriter{http.Header{}}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		vars[caddyhttp.ClientIPVarKey] = addresses[i%len(addresses)]
		if err := h.ServeHTTP(w, r, nil); err != nil {
			b.Fatal(err)
		}

		i++
	}

	if header := fmt.Sprint(w.header); !strings.Contains(header, "x-cache:[HIT]") {
		b.Fatalf("not a hit: %s", header)
	}
}
