// Package blackbox has no code of its own: its tests start a real Caddy from the
// shipped Caddyfile, against stand-ins of the registries, and walk through it as
// a client does. With RODATA_URL set, those that change nothing and know nothing
// of the inside walk through the gateway at that address instead.
package blackbox

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	"github.com/rodata/rodata"
	"github.com/rodata/rodata/internal/loopback"
	"github.com/rodata/rodata/upstream/upstreamtest"
)

// gateway is a running gateway, as a client sees it and, when it is ours, from
// behind.
type gateway struct {
	url        string
	metricsURL string
	registries *upstreamtest.Registries // nil when the gateway is somebody else's
	config     object
	reloaded   atomic.Int64 // when the server before was replaced, in Unix nanoseconds
}

type object = map[string]any

// start runs the shipped configuration with generous limits and a fast pace; each
// change is made to it before.
func start(t *testing.T, changes ...func(*gateway)) *gateway {
	t.Helper()
	if os.Getenv("RODATA_URL") != "" {
		t.Skip("needs a gateway of its own; RODATA_URL names another")
	}
	registries, err := upstreamtest.Start(upstreamtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{
		registries: registries, url: "http://" + loopback.FreeAddress(), metricsURL: "http://" + loopback.FreeAddress() + "/metrics",
	}
	t.Cleanup(func() {
		if err := registries.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Setenv("RODATA_ADDRESS", g.url)
	t.Setenv("RODATA_BIND", "127.0.0.1")
	t.Setenv("RODATA_DATA_DIR", dataDir(t))
	t.Setenv("RODATA_ANAF_URL", registries.ANAF.URL)
	t.Setenv("RODATA_ANAF_FILES_URL", registries.Files.URL)
	t.Setenv("RODATA_ONRC_URL", registries.ONRC.URL)
	t.Setenv("RODATA_BNR_URL", registries.BNR.URL)
	t.Setenv("RODATA_VIES_URL", registries.VIES.URL)
	g.config = g.shipped(t)
	g.app()["anonymous"] = object{"per_second": 1000, "burst": 1000}
	g.upstream("anaf")["pace"] = "1ms"
	g.upstream("onrc")["off"] = true // a test that needs it says withTradeRegister
	for _, change := range changes {
		change(g)
	}
	t.Cleanup(func() {
		if err := caddy.Stop(); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	if err := g.load(); err != nil {
		t.Fatal(err)
	}
	return g
}

// dataDir is a folder that is removed when the gateway has let go of it: Caddy does
// not wait for requests in flight unless the process ends, and the files are closed
// behind the last one.
func dataDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rodata-blackbox")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := os.RemoveAll(dir)
		for end := time.Now().Add(10 * time.Second); err != nil && time.Now().Before(end); {
			<-time.After(20 * time.Millisecond)
			err = os.RemoveAll(dir)
		}
		if err != nil {
			t.Error(err)
		}
	})
	return dir
}

// anyGateway is the one at RODATA_URL, or else one of our own.
func anyGateway(t *testing.T) *gateway {
	t.Helper()
	if u := os.Getenv("RODATA_URL"); u != "" {
		return &gateway{url: strings.TrimSuffix(u, "/")}
	}
	return start(t)
}

// shipped is the shipped configuration, but for what reaches beyond this
// process, and with a second server for the metrics.
func (g *gateway) shipped(t *testing.T) object {
	t.Helper()
	config := adapt(t, rodata.Caddyfile)
	config["admin"] = object{"disabled": true, "config": object{"persist": false}}
	config["storage"] = object{"module": "file_system", "root": t.TempDir()}
	for _, log := range config["logging"].(object)["logs"].(object) {
		log.(object)["writer"] = object{"output": "discard"}
	}
	servers := servers(config)
	metrics, _ := url.Parse(g.metricsURL)
	servers["metrics"] = object{
		"listen": []string{metrics.Host}, "routes": []object{{"handle": []object{{"handler": "metrics"}}}},
	}
	return config
}

// adapt is the JSON of a Caddyfile.
func adapt(t *testing.T, caddyfile []byte) object {
	t.Helper()
	adapted, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt(caddyfile, map[string]any{"filename": "Caddyfile"})
	if err != nil || len(warnings) > 0 {
		t.Fatalf("adapting the Caddyfile: %v %v", warnings, err)
	}
	var config object
	if err := json.Unmarshal(adapted, &config); err != nil {
		t.Fatal(err)
	}
	return config
}

func servers(config object) object {
	return config["apps"].(object)["http"].(object)["servers"].(object)
}

func (g *gateway) app() object { return g.config["apps"].(object)["rodata"].(object) }

func (g *gateway) upstream(name string) object {
	return g.app()["upstreams"].(object)[name].(object)
}

// load makes Caddy run the gateway's configuration.
func (g *gateway) load() error {
	config, err := json.Marshal(g.config)
	if err != nil {
		return err
	}
	defer func() { g.reloaded.Store(time.Now().UnixNano()) }()
	return caddy.Load(config, true)
}

// replacing is how long after a reload the server before may still close
// connections without having read what was sent on them: clients try again.
const replacing = 2 * time.Second

func (g *gateway) replaced() bool {
	return time.Since(time.Unix(0, g.reloaded.Load())) < replacing
}

// answer is a response with its body read.
type answer struct {
	*http.Response
	body []byte
}

// request describes what to send beside method and path.
type request struct {
	body   string
	header map[string]string
}

// do sends a request. A gateway at RODATA_URL may limit us; then we wait as told.
// Reading is tried again when the connection ends before an answer begins: a
// server that a reload replaces may still take connections up when it stops.
func (g *gateway) do(t *testing.T, method, path string, more request) answer {
	t.Helper()
	for tries := 1; ; tries++ {
		r, err := http.NewRequestWithContext(t.Context(), method, g.url+path, strings.NewReader(more.body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range more.header {
			r.Header.Set(name, value)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil && (method == http.MethodGet || g.replaced()) && tries < 3 {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		wait := res.Header.Get("Retry-After")
		limited := res.StatusCode == http.StatusTooManyRequests || path == "/mcp" && wait != ""
		if g.registries != nil || !limited {
			return answer{res, body}
		}
		seconds, _ := strconv.Atoi(wait)
		<-time.After(time.Duration(seconds) * time.Second)
	}
}

func (g *gateway) get(t *testing.T, path string) answer {
	t.Helper()
	return g.do(t, "GET", path, request{})
}

// problem checks that an answer is a problem of a kind, with all that belongs to
// one, and gives its detail.
func (a answer) problem(t *testing.T, status int, slug string) string {
	t.Helper()
	var p struct {
		Type, Title, Detail string
		Status              int
	}
	err := json.Unmarshal(a.body, &p)
	switch {
	case a.StatusCode != status || err != nil:
		t.Errorf("got %d %s, want the problem %s", a.StatusCode, a.body, slug)
	case p.Status != status || !strings.HasSuffix(p.Type, "/problems/"+slug) || !strings.HasPrefix(p.Type, "http") ||
		p.Title == "" || p.Detail == "":
		t.Errorf("not a whole problem: %s", a.body)
	case a.Header.Get("Content-Type") != "application/problem+json" || a.Header.Get("Cache-Control") != "no-store" ||
		a.Header.Get("x-credits-cost") != "0":
		t.Errorf("not the header of a problem: %v", a.Header)
	}
	return p.Detail
}

// object is the answer's JSON object.
func (a answer) object(t *testing.T) object {
	t.Helper()
	var o object
	if err := json.Unmarshal(a.body, &o); err != nil || a.StatusCode != http.StatusOK {
		t.Fatalf("got %d %s", a.StatusCode, bytes.TrimSpace(a.body))
	}
	return o
}

// stable is the header without what changes from one answer to the next.
func stable(h http.Header) http.Header {
	h = maps.Clone(h)
	for _, name := range []string{
		"Date", "Age", "Cache-Status", "RateLimit", "RateLimit-Remaining", "X-Cache", "Etag", "Content-Length",
		"Cache-Control",
	} {
		h.Del(name)
	}
	h.Del("Ratelimit-Remaining")
	return h
}
