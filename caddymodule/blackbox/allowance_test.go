package blackbox

import (
	"net/http"
	"strings"
	"testing"
)

// REST and MCP share an address's daily allowance of company calls. The site's pages
// have a separate one, which a forged ticket does not unlock.
func TestDailyAllowance(t *testing.T) {
	g := start(t, func(g *gateway) {
		a := g.app()["anonymous"].(object)
		a["companies_per_day"], a["pages_per_day"] = 3, 2
	})
	path := "/v1/companies/" + company(t)
	if got := g.get(t, path); got.StatusCode != http.StatusOK ||
		!strings.Contains(got.Header.Get("RateLimit"), `, "companies";r=2;t=`) {
		t.Fatalf("got %d %v", got.StatusCode, got.Header)
	}

	got := g.do(t, "POST", "/mcp", companyCall(path))
	if !strings.Contains(string(got.body),
		`"ro.rodata/allowance":{"name":"companies","limit":3,"remaining":1,"resetSeconds":`) ||
		!strings.Contains(got.Header.Get("RateLimit-Policy"), `, "companies";q=3;w=86400`) {
		t.Fatalf("got %v %s", got.Header, got.body)
	}

	g.reload(t) // keeps the counters
	g.do(t, "HEAD", path, request{})
	pretended := map[string]string{
		"Origin": g.url, "Referer": g.url + "/", "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors",
		"Cookie": "rodata_visitor=AAAA",
	}
	for name, header := range map[string]map[string]string{"plain": nil, "like a page": pretended} {
		refused := g.do(t, "GET", path, request{header: header})
		if refused.problem(t, http.StatusTooManyRequests, "rate-limited"); refused.Header.Get("Retry-After") == "" ||
			!strings.Contains(string(refused.body), "a month on the plan Free") {
			t.Errorf("%s: %v %s", name, refused.Header, refused.body)
		}
	}

	if tool := g.do(t, "POST", "/mcp", companyCall(path)); !strings.Contains(string(tool.body),
		`"ro.rodata/status":429`) {
		t.Errorf("the tool answers %s", tool.body)
	}

	front := g.get(t, "/")
	line := front.Header.Get("Set-Cookie")
	for _, part := range []string{"rodata_visitor=", "Path=/v1/companies", "HttpOnly", "SameSite=Strict"} {
		if !strings.Contains(line, part) {
			t.Errorf("%s is not in the cookie of the front page: %s", part, line)
		}
	}

	page := request{header: map[string]string{"Cookie": front.cookie()}}
	for i, want := range []int{200, 200, 429} {
		if got := g.do(t, "GET", path, page); got.StatusCode != want ||
			!strings.Contains(got.Header.Get("RateLimit"), `, "pages";r=`) {
			t.Errorf("look-up %d of a page: %d %v %s", i+1, got.StatusCode, got.Header, got.body)
		}
	}
}
