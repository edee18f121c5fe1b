package blackbox

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"

	"github.com/rodata/rodata"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/loopback"
)

// withAdmin opens the admin API on a separate port.
func withAdmin(t *testing.T, admin *gateway) func(*gateway) {
	return func(g *gateway) {
		address := loopback.FreeAddress()
		*admin = gateway{url: "http://" + address, registries: g.registries}
		g.config["admin"] = object{"listen": address, "config": object{"persist": false}}
	}
}

// logTo has all logs written to a file.
func logTo(file string) func(*gateway) { return writeLogs(object{"output": "file", "filename": file}) }

// stop ends the gateway, after which its logs are complete.
func (g *gateway) stop(t *testing.T) {
	t.Helper()
	testkit.NoError(t, caddy.Stop())
}

// accessLog stops the gateway, and returns the lines of its access log.
func (g *gateway) accessLog(t *testing.T, file string) (lines []object) {
	t.Helper()
	g.stop(t)
	logged, err := os.ReadFile(file)
	testkit.NoError(t, err)

	for text := range bytes.Lines(logged) {
		var line object
		if err := json.Unmarshal(text, &line); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if line["logger"] == "rodata.access" {
			lines = append(lines, line)
		}
	}

	return lines
}

func TestAdminAPI(t *testing.T) {
	var admin gateway
	g := start(t, withAdmin(t, &admin))
	cui := company(t)
	path := "/v1/companies/" + cui
	if state := g.source(t, "anaf")["state"]; state != "unknown" {
		t.Errorf("before it is asked, the tax authority is %v", state)
	}

	g.get(t, path)
	if got := admin.get(t, "/rodata/sources"); got.StatusCode != 200 ||
		!strings.Contains(string(got.body), `"name":"anaf","state":"ok"`) ||
		!strings.Contains(string(got.body), `{"name":"onrc","state":"unknown","lastSuccess":null,"asOf":null,`) {
		t.Errorf("sources: got %d %s", got.StatusCode, got.body)
	}

	if got := admin.get(t, "/rodata/queue"); got.StatusCode != 200 ||
		!strings.Contains(string(got.body), `[{"name":"anaf","interactive":0,`) ||
		!strings.Contains(string(got.body), `"requests":1,"companies":1,`) {
		t.Errorf("queue: got %d %s", got.StatusCode, got.body)
	}

	if got := admin.do(t, "DELETE", "/rodata/cache/companies/"+cui, request{}); got.StatusCode != 204 {
		t.Errorf("forgetting a company: got %d %s", got.StatusCode, got.body)
	}
	if got := g.get(t, path); got.Header.Get("x-cache") != "MISS" {
		t.Errorf("the company is still cached: %v", got.Header)
	}

	for name, c := range map[string]struct {
		method, path string
		status       int
	}{
		"wrong method":  {"POST", "/rodata/sources", 405},
		"not to be put": {"PUT", "/readyz", 405},
		"not a company": {"DELETE", "/rodata/cache/companies/abc", 400},
		"elsewhere":     {"GET", "/rodata/nothing", 404},
	} {
		if got := admin.do(t, c.method, c.path, request{}); got.StatusCode != c.status {
			t.Errorf("%s: got %d %s", name, got.StatusCode, got.body)
		}
	}
}

func TestMetrics(t *testing.T) {
	g := start(t)
	path := "/v1/companies/" + company(t)
	g.get(t, path)
	g.get(t, path)
	g.get(t, "/v1/companies/1")
	g.do(t, "POST", "/mcp", toolCallOf("", "search_counties", `{}`))
	for series, want := range map[string]float64{
		`rodata_requests_total{channel="rest",operation="get_company",status="200"}`:    2,
		`rodata_requests_total{channel="rest",operation="get_company",status="400"}`:    1,
		`rodata_requests_total{channel="mcp",operation="search_counties",status="200"}`: 1,
		`rodata_request_seconds_count{operation="get_company"}`:                         3,
		`rodata_cache_total{kind="company",result="miss"}`:                              1,
		`rodata_cache_total{kind="company",result="hit_fresh"}`:                         1,
		`rodata_breaker_state{upstream="anaf"}`:                                         0,
		`rodata_missed_publications{source="bnr"}`:                                      0,
		`rodata_ratelimit_buckets`:                                                      1,
		`rodata_ratelimit_total{result="allowed",scope="address"}`:                      4,
		`rodata_upstream_total{outcome="ok",upstream="anaf"}`:                           1,
		`rodata_upstream_total{outcome="error",upstream="anaf"}`:                        0,
		`rodata_upstream_seconds_count{upstream="anaf"}`:                                1,
		`rodata_batch_size_sum`:                                                         1,
		`rodata_upstream_queue{priority="interactive",upstream="anaf"}`:                 0,
		`rodata_store_up`: 1,
		`rodata_cache_stale_age_seconds{operation="get_company"}`: 0,
	} {
		if got := g.metric(t, series); got != want {
			t.Errorf("%s is %v, want %v", series, got, want)
		}
	}

	if g.metric(t, `rodata_last_success_timestamp_seconds{upstream="anaf"}`) == 0 {
		t.Error("no success of the tax authority is shown")
	}
}

// Options that the Caddyfile shows commented out are accepted when enabled.
func TestShippedOptionsAreValid(t *testing.T) {
	on := regexp.MustCompile(`(?m)^(\t*)#(?:\t|([a-z}:]))`).ReplaceAll(rodata.Caddyfile, []byte("$1$2"))
	for _, option := range []string{
		"base_url", "anonymous", "plan pro", "companies", "breaker", "fill_every", "path", "trusted_proxies static",
		"metrics", "allowed_origins",
	} {
		if !regexp.MustCompile(`(?m)^\t+` + option).Match(on) {
			t.Errorf("%s is not shown", option)
		}
	}

	if _, _, err := caddyconfig.GetAdapter("caddyfile").Adapt(on, map[string]any{"filename": "Caddyfile"}); err != nil {
		t.Error(err)
	}
}
