package blackbox

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
)

// company is known to the stand-ins, and so to the sandbox.
func company(t *testing.T) string {
	t.Helper()
	companies, err := standin.Companies()
	testkit.NoError(t, err)

	return companies[0].CUI.String()
}

// route is one route of the service.
type route struct {
	template string // as in the description; empty for routes it omits
	path     string
	allow    string
	member   string // of the answer's JSON; empty for no JSON
}

func routes(t *testing.T) []route {
	const read = "GET, HEAD, OPTIONS"
	return []route{
		{"/v1/companies/{cui}", "/v1/companies/" + company(t), read, "vatPayer"},
		{"/v1/companies.csv", "/v1/companies.csv?taxIds=" + company(t), read, ""},
		{"/v1/vat-numbers/{id}", "/v1/vat-numbers/FR46688637511", read, "consultationNumber"},
		{"/v1/caen-codes/{code}", "/v1/caen-codes/62", read, "replacesRev2Codes"},
		{"/v1/caen-codes", "/v1/caen-codes?q=programare", read, "totalCount"},
		{"/v1/counties", "/v1/counties?q=cluj", read, "items"},
		{"/v1/cities", "/v1/cities?q=cluj-napoca", read, "items"},
		{"/v1/fx-rates", "/v1/fx-rates?date=2026-06-13&currency=EUR", read, "requestedDate"},
		{"/v1/fx-rates/history", "/v1/fx-rates/history?currency=EUR&from=2026-06-01&to=2026-06-30", read, "items"},
		{"/v1/fx-rates/convert", "/v1/fx-rates/convert?amount=2500&from=EUR&to=USD&date=2026-06-10", read, "result"},
		{"/v1/holidays", "/v1/holidays?year=2026", read, "bankDays"},
		{"/v1/business-days", "/v1/business-days?from=2026-12-23&days=-5", read, "passedOver"},
		{"/v1/plans", "/v1/plans", read, ""},
		{"/v1/status", "/v1/status", read, "sources"},
		{"/v1/status/history", "/v1/status/history?days=7", read, "sources"},
		{"/.well-known/jwks.json", "/.well-known/jwks.json", read, "keys"},
		{"/health", "/health", read, "status"},
		{"", "/openapi.json", read, "openapi"},
		{"", "/problems/not-found", read, ""},
	}
}

// messageRoutes are the routes that accept a message or a list: contact_test.go, batch_test.go, vat_test.go.
var messageRoutes = []string{"/v1/contact", "/v1/companies/batch", "/v1/vat-numbers/batch"}

// registerRoutes are the routes that answer from the trade register, once it is loaded: trade_register_test.go.
var registerRoutes = []string{"/v1/companies", "/v1/companies/suggest"}

// releaseRoutes are the files of the trade register: releases_test.go.
var releaseRoutes = []string{
	"/v1/releases", "/v1/releases/{date}/companies.parquet", "/v1/releases/{date}/companies.csv.zst",
	"/v1/releases/{date}/changes.parquet",
}

// historyRoutes are the routes of a company's history and its receipts: company_history_test.go, receipts_test.go.
var historyRoutes = []string{"/v1/companies/{cui}/status", "/v1/companies/{cui}/history", "/v1/receipts/{id}"}

// accountRoutes are the routes that need an account: accounts_test.go, credits_test.go.
var accountRoutes = []string{"/v1/usage", "/v1/usage/daily", "/v1/keys", "/v1/keys/{id}"}

// billingRoutes are the routes about payments: billing_test.go.
var billingRoutes = []string{
	"/v1/billing/checkout", "/v1/billing/portal", "/v1/billing/webhook", "/v1/invoices", "/v1/invoices/{id}/pdf",
}

// uncompressed accepts no compression, because net/http would request it only for GET, and the headers of GET and HEAD
// would differ.
var uncompressed = request{header: map[string]string{"Accept-Encoding": "identity"}}

func everyRoute(t *testing.T, g *gateway) {
	for _, route := range routes(t) {
		t.Run(route.path, func(t *testing.T) {
			got := g.do(t, "GET", route.path, uncompressed)
			if got.StatusCode != http.StatusOK || len(got.body) == 0 {
				t.Fatalf("got %d %s", got.StatusCode, got.body)
			}

			if route.member != "" {
				if _, ok := got.object(t)[route.member]; !ok {
					t.Errorf("no %s in %s", route.member, got.body)
				}
			}

			checkHead(t, g, route, got)
			checkPreflight(t, g, route)
			for _, method := range []string{"PUT", "DELETE", "PATCH", "FOO"} {
				refused := g.do(t, method, route.path, request{})
				refused.problem(t, http.StatusMethodNotAllowed, "method-not-allowed")
				if refused.Header.Get("Allow") != route.allow {
					t.Errorf("%s: allowed is %q, want %q", method, refused.Header.Get("Allow"), route.allow)
				}
			}
		})
	}
}

// checkHead checks that HEAD has the same headers as GET and no body.
func checkHead(t *testing.T, g *gateway, route route, got answer) {
	t.Helper()
	head := g.do(t, "HEAD", route.path, uncompressed)
	if head.StatusCode != http.StatusOK || len(head.body) > 0 || head.ContentLength <= 0 {
		t.Errorf("HEAD: got %d with %d bytes, length %d", head.StatusCode, len(head.body), head.ContentLength)
	}
	if a, b := stable(head.Header), stable(got.Header); !reflect.DeepEqual(a, b) {
		t.Errorf("HEAD has the header %v, GET %v", a, b)
	}
}

// checkPreflight checks that a page of any origin may call the route with a key.
func checkPreflight(t *testing.T, g *gateway, route route) {
	t.Helper()
	res := g.do(t, "OPTIONS", route.path, request{header: map[string]string{
		"Origin": "https://app.example.ro", "Access-Control-Request-Method": "GET",
		"Access-Control-Request-Headers": "authorization, x-api-key",
	}})
	h := res.Header
	if res.StatusCode != http.StatusNoContent || h.Get("Allow") != route.allow ||
		h.Get("Access-Control-Allow-Methods") != route.allow ||
		h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Credentials") != "" ||
		h.Get("Access-Control-Max-Age") == "" ||
		!strings.Contains(h.Get("Access-Control-Allow-Headers"), "Authorization, X-Api-Key") {
		t.Errorf("OPTIONS: got %d %v", res.StatusCode, h)
	}
}

// Every route in the description is covered above.
func description(t *testing.T, g *gateway) {
	var description struct {
		OpenAPI string
		Servers []struct{ URL string }
		Paths   map[string]map[string]any
	}
	testkit.NoError(t, json.Unmarshal(g.get(t, "/openapi.json").body, &description))
	if !strings.HasPrefix(description.OpenAPI, "3.1") || len(description.Servers) != 1 ||
		description.Servers[0].URL != g.url {
		t.Errorf("got OpenAPI %s at %v, want 3.1 at %s", description.OpenAPI, description.Servers, g.url)
	}

	known := make(map[string]bool)
	for _, route := range routes(t) {
		known[route.template] = true
	}

	elsewhere := slices.Concat(messageRoutes, registerRoutes, releaseRoutes, historyRoutes, accountRoutes,
		billingRoutes, watchRoutes, jobRoutes, slices.Collect(maps.Keys(webhookRoutes)))
	for path := range description.Paths {
		if !known[path] && !slices.Contains(elsewhere, path) {
			t.Errorf("%s is described and not tested", path)
		}
	}
}

var slugs = regexp.MustCompile(`/problems/[a-z-]+`)

func problemPages(t *testing.T, g *gateway) {
	for _, page := range []string{
		"invalid-request", "unauthorized", "not-found", "caen-code-replaced", "rate-limited", "internal",
		"upstream-timeout",
	} {
		got := g.do(t, "GET", "/problems/"+page, browser)
		if got.StatusCode != 200 || !strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") ||
			!strings.Contains(string(got.body), page) {
			t.Errorf("%s: got %d %s", page, got.StatusCode, got.body)
		}

		program := g.do(t, "GET", "/problems/"+page, request{header: map[string]string{"Accept": "application/json"}})
		for _, c := range problem.InputCodes {
			if page == "invalid-request" && (!bytes.Contains(got.body, []byte(c.Code)) ||
				!bytes.Contains(program.body, []byte(c.Code))) {
				t.Errorf("a page does not list %s", c.Code)
			}
		}

		if program.object(t)["remedy"] == "" || !slugs.Match(program.body) {
			t.Errorf("%s: got %s", page, program.body)
		}
	}

	g.get(t, "/problems/no-such-problem").problem(t, 404, "not-found")
}

// browser is a request as a Romanian browser sends it.
var browser = request{header: map[string]string{"Accept": "text/html,application/xhtml+xml,*/*;q=0.8",
	"Accept-Language": "ro"}}

// Browsers get problems as pages in their language, and programs get JSON.
func problemsInBrowsers(t *testing.T, g *gateway) {
	for _, c := range []struct {
		path   string
		status int
		want   string
	}{
		{"/nothing", 404, `role="search"`},
		{"/problems/no-such-problem", 404, `role="search"`},
		{"/companies/9900000011", 400, "cifra de control nu corespunde"},
	} {
		page := g.do(t, "GET", c.path, browser)
		if page.StatusCode != c.status || !strings.HasPrefix(page.Header.Get("Content-Type"), "text/html") ||
			!strings.Contains(string(page.body), `<html lang="ro">`) || !strings.Contains(string(page.body), c.want) {
			t.Errorf("%s: got %d %s", c.path, page.StatusCode, page.body)
		}
	}

	for _, path := range []string{"/nothing", "/problems/no-such-problem"} {
		g.get(t, path).problem(t, 404, "not-found")
	}
}
