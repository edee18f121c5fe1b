package rest

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/op"
)

// Public responses always have CORS headers and do not vary by Origin, so that shared caches can serve them to any
// client. Other responses have CORS headers only if the request has an Origin, and vary by it.
func TestPagesOfAnyOriginMayRead(t *testing.T) {
	h := newHandler(t)
	for path, public := range map[string]bool{"/openapi.json": true, "/problems/not-found": true,
		"/v1/nothing": false} {
		for _, origin := range []string{"", "https://shop.example"} {
			r := newRequest("GET", path, nil)
			if origin != "" {
				r.Header.Set("Origin", origin)
			}

			header := answer(h, r).Header
			allows := header.Get("Access-Control-Allow-Origin") == "*" &&
				header.Get("Access-Control-Expose-Headers") != ""
			if allows != (public || origin != "") {
				t.Errorf("%s with Origin %q: CORS headers present is %v; headers %v", path, origin, allows, header)
			}
			if varies := header.Get("Vary") == "Origin"; varies == public {
				t.Errorf("%s has Vary %q", path, header["Vary"])
			}
		}
	}
}

// A page may send everything that the API reads, such as the headers with which DuckDB reads a part of a Parquet file,
// and read everything that it sends.
func TestPagesMaySendAndReadAllHeaders(t *testing.T) {
	h := New(Options{Operations: api.Operations(api.Registries{}, nil, system.About{}),
		BaseURL: func(*http.Request) string { return "https://rodata.example" }, Gateway: new(op.Gateway)})
	for path, method := range map[string]string{"/v1/jobs": "POST", "/v1/companies/19": "GET"} {
		r := newRequest("OPTIONS", path, nil)
		r.Header.Set("Origin", "https://shop.example")
		r.Header.Set("Access-Control-Request-Method", method)
		preflight := answer(h, r).Header
		allowed := strings.Split(strings.ToLower(preflight.Get("Access-Control-Allow-Headers")), ", ")
		for _, name := range []string{"authorization", "x-api-key", "content-type", "prefer", "range", "if-range",
			"if-none-match", "idempotency-key", "last-event-id", "x-request-id"} {
			if !slices.Contains(allowed, name) {
				t.Errorf("%s: %s is not allowed: %s", path, name, allowed)
			}
		}

		if exposed := preflight.Get("Access-Control-Expose-Headers"); exposed != "*" {
			t.Errorf("%s: exposed are %s", path, exposed)
		}
	}
}
