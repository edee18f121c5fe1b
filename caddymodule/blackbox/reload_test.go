package blackbox

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
	"github.com/rodata/rodata/testkit/loopback"
	"github.com/rodata/rodata/testkit/standin"
)

// metric returns a series, 0 if there is none.
func (g *gateway) metric(t *testing.T, series string) float64 {
	t.Helper()
	exposed := (&gateway{url: g.metricsURL, registries: g.registries}).get(t, "")
	for line := range strings.Lines(string(exposed.body)) {
		if value, ok := strings.CutPrefix(line, series+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			testkit.NoError(t, err)
			return n
		}
	}

	return 0
}

const plansAnswered = `rodata_requests_total{channel="rest",operation="list_plans",status="200"}`

func TestReloadKeepsState(t *testing.T) {
	g := start(t, func(g *gateway) { g.app()["anonymous"] = object{"per_second": 1, "burst": 30} })
	path := "/v1/companies/" + company(t)
	g.get(t, path)
	for range 20 {
		g.get(t, "/v1/plans")
	}

	g.app()["anonymous"] = object{"per_second": 2, "burst": 30}
	g.app()["environment"] = "sandbox"
	testkit.NoError(t, g.load())

	got := g.get(t, path)
	if got.Header.Get("x-cache") != "HIT" {
		t.Errorf("the cache is gone: %v", got.Header)
	}
	if remaining, _ := strconv.Atoi(got.Header.Get("RateLimit-Remaining")); remaining > 12 ||
		got.Header.Get("RateLimit-Limit") != "2" {
		t.Errorf("the bucket was refilled, or has the old rate: %v", got.Header)
	}
	if n := g.metric(t, plansAnswered); n != 20 {
		t.Errorf("%v calls are counted, want 20", n)
	}
	if environment := g.get(t, "/v1/status").object(t)["environment"]; environment != "sandbox" {
		t.Errorf("the new settings do not count: environment is %v", environment)
	}
}

// A configuration that fails, before or after opening the gateway, changes nothing, and operators see the one that
// serves. Caddy has switched to the failed one's admin API by then.
func TestFailedReloadChangesNothing(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.NoError(t, err)
	defer taken.Close()

	var admin gateway
	g := start(t, withAdmin(t, &admin))
	good := g.config
	for name, spoil := range map[string]func(*gateway){
		"unknown environment": func(g *gateway) { g.app()["environment"] = "test" },
		"data directory that is a file": func(g *gateway) {
			g.app()["data_dir"] = "/dev/null/rodata"
		},
		"address that is taken": func(g *gateway) {
			servers(g.config)["taken"] = object{"listen": []string{taken.Addr().String()}}
		},
		"server with an unknown handler": func(g *gateway) {
			servers(g.config)["unknown"] = object{
				"listen": []string{loopback.FreeAddress()},
				"routes": []object{{"handle": []object{{"handler": "unknown"}}}},
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			g.config = copied(t, good)
			g.get(t, "/v1/plans")
			counted := int(g.metric(t, plansAnswered)) + 1 // with the call after the failure
			g.app()["anonymous"] = object{"per_second": 5, "burst": 5}
			g.app()["plans"] = []object{{"code": "only", "credits": 1, "rate": object{"per_second": 1, "burst": 1}}}
			spoil(g)
			if err := g.load(); err == nil {
				t.Fatal("the configuration was accepted")
			}

			got := g.get(t, "/v1/plans")
			if got.StatusCode != http.StatusOK || got.Header.Get("RateLimit-Limit") != "1000" ||
				strings.Contains(string(got.body), "only") {
				t.Errorf("got %d %v %s", got.StatusCode, got.Header, got.body)
			}
			if n := g.metric(t, plansAnswered); n != float64(counted) {
				t.Errorf("%v calls are counted, want %d", n, counted)
			}

			for _, seen := range []struct{ path, what string }{
				{"/readyz", "ready"}, {"/rodata/sources", `"name":"anaf"`}, {"/rodata/queue", `"name":"anaf"`},
				{"/metrics", fmt.Sprintf("%s %d\n", plansAnswered, counted)}, {"/metrics", `rodata_breaker_state{upstream="anaf"} 0`},
			} {
				if got := admin.get(t, seen.path); got.StatusCode != http.StatusOK ||
					!strings.Contains(string(got.body), seen.what) {
					t.Errorf("%s: got %d %.200s", seen.path, got.StatusCode, got.body)
				}
			}
		})
	}
}

// A request in flight while everything under it is replaced ends normally; the reload does not wait for it, and the old
// state is closed after it has ended.
func TestRequestAcrossReload(t *testing.T) {
	g := start(t)
	g.registries.ANAF.Queue(standin.Hang)
	path := "/v1/companies/" + company(t)
	done := make(chan answer)
	go func() { done <- g.get(t, path) }()
	testkit.Until(t, "the tax authority is queried", func() bool { return g.registries.ANAF.Requests().Requests == 1 })

	g.app()["data_dir"] = t.TempDir()
	g.upstream("anaf")["pace"] = "2ms"
	testkit.NoError(t, g.load())
	if got := g.get(t, "/v1/plans"); got.StatusCode != http.StatusOK {
		t.Errorf("the new configuration answers %d", got.StatusCode)
	}

	g.registries.ANAF.Release()
	if got := <-done; got.StatusCode != http.StatusOK || got.Header.Get("x-cache") != "MISS" {
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}

	replaced, err := cache.Open(cache.Options{Path: filepath.Join(os.Getenv("RODATA_DATA_DIR"), "cache.db")})
	if err != nil {
		t.Fatalf("the replaced cache is still open: %v", err)
	}
	if err := replaced.Close(); err != nil {
		t.Error(err)
	}
}

func TestReloadsLeaveNothingBehindLong(t *testing.T) {
	reloads := 8
	if long.Full(t) {
		reloads = 20
	}

	g := start(t)
	reload := func(n int) {
		for i := range n {
			g.app()["base_url"] = "https://" + strconv.Itoa(i) + ".example.ro"
			g.upstream("anaf")["timeout"] = strconv.Itoa(i+1) + "s" // a new connection each time
			testkit.NoError(t, g.load())

			g.get(t, "/v1/plans")
			http.DefaultClient.CloseIdleConnections()
		}
	}
	reload(3)
	before := runtime.NumGoroutine()
	reload(reloads)
	testkit.Until(t, "the goroutines have ended", func() bool { return runtime.NumGoroutine() <= before+reloads })
}
