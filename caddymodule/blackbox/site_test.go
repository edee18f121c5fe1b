package blackbox

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// The pages are served on the same host as the API, compressed. Unknown paths are still problems.
func site(t *testing.T, g *gateway) {
	ask := func(method, path string, header http.Header) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, g.url+path, nil)
		testkit.NoError(t, err)

		for name, values := range header {
			req.Header[name] = values
		}

		res, err := http.DefaultTransport.RoundTrip(req)
		testkit.NoError(t, err)

		t.Cleanup(func() { res.Body.Close() })
		return res
	}

	page := ask("GET", "/", http.Header{"Accept-Encoding": {"gzip"}})
	unpacked, err := gzip.NewReader(page.Body)
	if err != nil {
		t.Fatalf("the front page is not compressed: %v, %v", err, page.Header)
	}

	html, err := io.ReadAll(unpacked)
	if err != nil || page.StatusCode != http.StatusOK ||
		!strings.Contains(string(html), "curl '"+g.url+"/v1/fx-rates") {
		t.Fatalf("the front page: %s, %v\n%s", page.Status, err, html)
	}

	if cookie := page.Header["Set-Cookie"]; cookie != nil { // there is no daily allowance
		t.Errorf("the front page sets %s", cookie)
	}

	again := ask("GET", "/", http.Header{"Accept-Encoding": {"gzip"}, "If-None-Match": page.Header["Etag"]})
	if again.StatusCode != http.StatusNotModified {
		t.Errorf("the same page again: %s", again.Status)
	}

	for _, c := range []struct {
		name, method, path, accept string
		status                     int
		contentType                string
	}{
		{"a page's head", "HEAD", "/docs/errors", "", 200, "text/html; charset=utf-8"},
		{"the API", "GET", "/v1/plans", "", 200, "application/json"},
		{"a page that is written to", "POST", "/docs", "", 405, "application/problem+json"},
		{"a page that there is not", "GET", "/docs/nothing", "", 404, "application/problem+json"},
		{"the same in a browser", "GET", "/docs/nothing", "text/html,*/*;q=0.8", 404, "text/html; charset=utf-8"},
		{"a company's page", "GET", "/companies/9900000010", "text/html", 200, "text/html; charset=utf-8"},
		{"the API in a browser", "GET", "/v1/nothing", "text/html,*/*;q=0.8", 404, "application/problem+json"},
	} {
		res := ask(c.method, c.path, http.Header{"Accept": {c.accept}})
		if res.StatusCode != c.status || res.Header.Get("Content-Type") != c.contentType {
			t.Errorf("%s: %s, %s", c.name, res.Status, res.Header.Get("Content-Type"))
		}
	}
}
