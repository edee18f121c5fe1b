package blackbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
)

var metricName = regexp.MustCompile(`\brodata_[a-z_]+`)

// exposed returns the metrics of a gateway by name, and the number of series including the web server's and the
// process's.
func (g *gateway) exposed(t *testing.T) (names map[string]bool, series int) {
	t.Helper()
	names = make(map[string]bool)
	text := (&gateway{url: g.metricsURL, registries: g.registries}).get(t, "").body
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			series++
		} else if fields := strings.Fields(line); fields[1] == "TYPE" && strings.HasPrefix(fields[2], "rodata_") {
			names[fields[2]] = true
		}
	}

	return names, series
}

// used uses the registries once, so that all metrics have values.
func (g *gateway) used(t *testing.T) *gateway {
	t.Helper()
	g.get(t, "/v1/companies/"+company(t)).object(t)
	g.get(t, "/v1/fx-rates").object(t)
	return g
}

// withoutRedis makes the gateway an edge of a fleet while Redis is down. The metrics about Redis still exist.
func withoutRedis(g *gateway) {
	g.app()["redis"] = object{"url": "redis://127.0.0.1:1", "edges": 3}
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"..", ".."}, path...)...))
	testkit.NoError(t, err)

	return string(text)
}

func TestMetricsAreDocumented(t *testing.T) {
	names, _ := start(t, withoutRedis).used(t).exposed(t)
	documented := make(map[string]bool)
	for row := range strings.Lines(read(t, "docs", "operations.md")) {
		if strings.HasPrefix(row, "| `rodata_") {
			for _, name := range metricName.FindAllString(strings.Split(row, "|")[1], -1) {
				documented[name] = true
			}
		}
	}

	if !maps.Equal(names, documented) {
		t.Errorf("the gateway shows %q,\ndocs/operations.md has %q", slices.Sorted(maps.Keys(names)),
			slices.Sorted(maps.Keys(documented)))
	}

	// A dashboard or rule with a missing metric would show nothing, and never alert.
	for _, file := range []string{"grafana/rodata.json", "prometheus/alerts.yml", "prometheus/alerts_test.yml"} {
		found := metricName.FindAllString(read(t, "deploy", filepath.FromSlash(file)), -1)
		if len(found) == 0 {
			t.Errorf("%s names no metric", file)
		}

		for _, name := range found {
			base := name
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				base = strings.TrimSuffix(base, suffix)
			}
			if !names[name] && !names[base] {
				t.Errorf("%s names %s, which the gateway does not show", file, name)
			}
		}
	}
}

func TestAlertsAreDocumented(t *testing.T) {
	alert := regexp.MustCompile(`\bRodata[A-Z]\w+`)
	defined, documented := make(map[string]bool), make(map[string]bool)
	for _, match := range regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(read(t, "deploy", "prometheus",
		"alerts.yml"), -1) {
		defined[match[1]] = true
	}

	for row := range strings.Lines(read(t, "docs", "operations.md")) {
		if strings.HasPrefix(row, "| `Rodata") {
			for _, name := range alert.FindAllString(row, -1) {
				documented[name] = true
			}
		}
	}

	if len(defined) == 0 || !maps.Equal(defined, documented) {
		t.Errorf("alerts.yml defines %q,\ndocs/operations.md has %q", slices.Sorted(maps.Keys(defined)),
			slices.Sorted(maps.Keys(documented)))
	}
}

func TestAlertRules(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed (Debian's package prometheus has it)")
	}

	for _, args := range [][]string{{"check", "rules", "alerts.yml"}, {"test", "rules", "alerts_test.yml"}} {
		command := exec.Command(promtool, args...)
		command.Dir = filepath.Join("..", "..", "deploy", "prometheus")
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

func TestDashboardIsWhole(t *testing.T) {
	var dashboard struct {
		UID    string
		Panels []struct {
			ID          int
			Type, Title string
			Targets     []struct{ Expr string }
		}
	}
	testkit.NoError(t, json.Unmarshal([]byte(read(t, "deploy", "grafana", "rodata.json")), &dashboard))

	ids := make(map[int]bool)
	for _, p := range dashboard.Panels {
		if p.Title == "" || ids[p.ID] || p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("panel %d %q is not whole", p.ID, p.Title)
		}

		ids[p.ID] = true
		for _, target := range p.Targets {
			if strings.Count(target.Expr, "rodata_") != strings.Count(target.Expr, `{instance=~"$instance"`) {
				t.Errorf("panel %q does not follow the choice of gateways: %s", p.Title, target.Expr)
			}
		}
	}

	if dashboard.UID != "rodata" || len(ids) == 0 {
		t.Errorf("got %+v", dashboard)
	}
}

// The number of series stays small for any requests.
func TestSeriesAreBounded(t *testing.T) {
	g := start(t).used(t)
	for i := range 200 {
		path := fmt.Sprintf("/v1/companies/%d", 9900000000+i)
		g.get(t, path)
		g.get(t, fmt.Sprintf("/v1/odd-%d", i))
		g.do(t, fmt.Sprintf("METHOD%d", i), "/v1/plans", request{})
		g.get(t, fmt.Sprintf("/v1/fx-rates?date=20%02d-01-%02d&x%d=1", i%40, i%40, i))
		g.get(t, fmt.Sprintf("/v1/counties?q=%d", i))
		g.do(t, "GET", "/health", request{header: map[string]string{
			"X-Request-Id": fmt.Sprint("id-", i), "Authorization": fmt.Sprint("Bearer k", i),
		}})
		g.do(t, "POST", "/mcp", request{
			body: fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"tool_%d","arguments":{"a%d":1}}}`, i, i, i),
			header: map[string]string{"Content-Type": "application/json",
				"Accept": "application/json, text/event-stream"},
		})
	}

	_, series := g.exposed(t)
	t.Logf("%d series", series)
	if series > 2000 {
		t.Errorf("%d series after 1400 odd calls, want at most 2000", series)
	}
}

// Stale answers are visible in the metrics and in the access log. Callers see them as hits.
func TestStaleAnswersAreSeen(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.json")
	g := start(t, logTo(log), func(g *gateway) { g.app()["cache"] = object{"companies": object{"fresh": "1us"}} })
	path := "/v1/companies/" + company(t)
	g.get(t, path).object(t)
	if got := g.get(t, path); got.Header.Get("x-cache") != "HIT" {
		t.Fatalf("got %v", got.Header)
	}
	if by := g.metric(t, `rodata_cache_stale_age_seconds{operation="get_company"}`); by <= 0 || by > 60 {
		t.Errorf("stale by %v", by)
	}

	lines := g.accessLog(t, log)
	if by, _ := lines[1]["stale_by"].(float64); by <= 0 || lines[1]["cache"] != "HIT" {
		t.Errorf("the stale answer is logged as %v", lines[1])
	}
}

// With every registry down the process is alive and accepts requests: stored data is served.
func TestProbesDoNotDependOnRegistriesLong(t *testing.T) {
	var admin gateway
	g := start(t, withAdmin(t, &admin)).used(t)
	testkit.NoError(t, g.registries.Close())

	g.get(t, "/v1/companies/9900000029").problem(t, 502, "upstream-error")
	if got := admin.get(t, "/readyz"); got.StatusCode != 200 || string(got.body) != "{\"status\":\"ready\"}\n" {
		t.Errorf("/readyz: got %d %s", got.StatusCode, got.body)
	}

	var times []time.Duration
	for range 100 {
		began := time.Now()
		if got := g.get(t, "/health"); got.StatusCode != 200 {
			t.Fatalf("/health: got %d %s", got.StatusCode, got.body)
		}

		times = append(times, time.Since(began))
	}

	slices.Sort(times)
	if median := times[len(times)/2]; median > within(t, 5*time.Millisecond) {
		t.Errorf("/health takes %s", median)
	}
}
