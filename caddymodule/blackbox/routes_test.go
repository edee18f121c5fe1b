package blackbox

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

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
	path, allow string
	member      string // of the answer's JSON; empty for no JSON
}

func routes(t *testing.T) []route {
	const read = "GET, HEAD, OPTIONS"
	return []route{
		{"/v1/companies/" + company(t), read, "vatPayer"},
		{"/v1/companies.csv?taxIds=" + company(t), read, ""},
		{"/v1/vat-numbers/FR46688637511", read, "consultationNumber"},
		{"/v1/caen-codes/62", read, "replacesRev2Codes"},
		{"/v1/caen-codes?q=programare", read, "totalCount"},
		{"/v1/counties?q=cluj", read, "items"},
		{"/v1/cities?q=cluj-napoca", read, "items"},
		{"/v1/fx-rates?date=2026-06-13&currency=EUR", read, "requestedDate"},
		{"/v1/fx-rates/history?currency=EUR&from=2026-06-01&to=2026-06-30", read, "items"},
		{"/v1/fx-rates/convert?amount=2500&from=EUR&to=USD&date=2026-06-10", read, "result"},
		{"/v1/holidays?year=2026", read, "bankDays"},
		{"/v1/business-days?from=2026-12-23&days=-5", read, "passedOver"},
		{"/v1/plans", read, ""},
		{"/v1/status", read, "sources"},
		{"/v1/status/history?days=7", read, "sources"},
		{"/.well-known/jwks.json", read, "keys"},
		{"/health", read, "status"},
		{"/openapi.json", read, "openapi"},
		{"/problems/not-found", read, ""},
	}
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

// Every route in the description is called above, or in a conversation or another test.
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

	var tests []byte
	for _, pattern := range []string{"testdata/*.txt", "*_test.go"} {
		files, err := filepath.Glob(pattern)
		testkit.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			testkit.NoError(t, err)
			tests = append(tests, text...)
		}
	}

	parameter := regexp.MustCompile(`\\{\w+\\}`)
	for path := range description.Paths {
		// A test may put the value of a parameter between two parts of the path.
		called := parameter.ReplaceAllString(regexp.QuoteMeta(path), `(?:[^/ ?"]+|" ?\+[^"]*\+ ?"|"[^/"]*)`)
		if !regexp.MustCompile(`[" ]` + called + `[" ?\n]`).Match(tests) {
			t.Errorf("%s is described and not tested", path)
		}
	}
}
