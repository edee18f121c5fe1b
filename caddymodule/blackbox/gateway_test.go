// Package blackbox contains only tests: they start a real Caddy from the shipped Caddyfile, against stand-ins for the
// registries, and use it like a client. With RODATA_URL set, tests that change nothing and need no internals use the
// gateway at that address instead.
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
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/conversation"
	"github.com/rodata/rodata/testkit/loopback"
	"github.com/rodata/rodata/testkit/standin"
)

// gateway is a running gateway, with access to its internals if it is a local one.
type gateway struct {
	url        string
	metricsURL string
	registries *standin.Registries // nil for a remote gateway
	config     object
	reloaded   atomic.Int64 // the time at which the previous server was replaced, in Unix nanoseconds
}

type object = map[string]any

// start runs the shipped configuration with generous limits and a fast pace; each change is applied to it first.
func start(t *testing.T, changes ...func(*gateway)) *gateway {
	t.Helper()
	if os.Getenv("RODATA_URL") != "" {
		t.Skip("needs a gateway of its own; RODATA_URL names another")
	}

	registries := standin.For(t, standin.Options{})
	g := &gateway{
		registries: registries, url: "http://" + loopback.FreeAddress(),
		metricsURL: "http://" + loopback.FreeAddress() + "/metrics",
	}
	t.Setenv("RODATA_ADDRESS", g.url)
	t.Setenv("RODATA_BIND", "127.0.0.1")
	dir := dataDir(t)
	withEmptyStores(t, dir)
	t.Setenv("RODATA_DATA_DIR", dir)
	for name, url := range registries.Environment() {
		t.Setenv(name, url)
	}

	g.config = g.shipped(t)
	g.app()["anonymous"] = object{"per_second": 1000, "burst": 1000}
	g.upstream("anaf")["pace"] = "1ms"
	g.upstream("onrc")["off"] = true // tests that need it call withTradeRegister
	for _, change := range changes {
		change(g)
	}

	t.Cleanup(func() {
		// Of two connections that the client dialled at once, one may be unused. The server would wait five seconds for
		// its first request.
		http.DefaultClient.CloseIdleConnections()
		if err := caddy.Stop(); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	testkit.NoError(t, g.load())

	return g
}

// dataDir returns a folder that is removed once the gateway has closed its files. It closes them after the last
// request in flight, and Caddy does not wait for that request unless the process ends.
func dataDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rodata-blackbox")
	testkit.NoError(t, err)

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

// anyGateway returns the gateway at RODATA_URL, or else a local one.
func anyGateway(t *testing.T) *gateway {
	t.Helper()
	if u := os.Getenv("RODATA_URL"); u != "" {
		return &gateway{url: strings.TrimSuffix(u, "/")}
	}
	return start(t)
}

// shipped returns the shipped configuration, without anything that reaches beyond this process, and with a second
// server for the metrics.
func (g *gateway) shipped(t *testing.T) object {
	t.Helper()
	config := adapt(t, rodata.Caddyfile)
	config["admin"] = object{"disabled": true, "config": object{"persist": false}}
	config["storage"] = object{"module": "file_system", "root": t.TempDir()}
	g.config = config
	writeLogs(object{"output": "discard"})(g)
	servers := servers(config)
	metrics, _ := url.Parse(g.metricsURL)
	servers["metrics"] = object{
		"listen": []string{metrics.Host}, "routes": []object{{"handle": []object{{"handler": "metrics"}}}},
	}
	return config
}

// writeLogs gives all logs a writer: Caddy's, and the access log.
func writeLogs(writer object) func(*gateway) {
	return func(g *gateway) {
		for _, log := range g.config["logging"].(object)["logs"].(object) {
			log.(object)["writer"] = writer
		}
		eachHandler(servers(g.config), "rodata_log", func(h object) { h["writer"] = writer })
	}
}

// eachHandler calls a function for each handler of a name in a part of a configuration.
func eachHandler(part any, name string, change func(object)) {
	switch part := part.(type) {
	case object:
		if part["handler"] == name {
			change(part)
		}

		for _, member := range part {
			eachHandler(member, name, change)
		}
	case []any:
		for _, element := range part {
			eachHandler(element, name, change)
		}
	}
}

// adapt returns the JSON of a Caddyfile.
func adapt(t *testing.T, caddyfile []byte) object {
	t.Helper()
	adapted, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt(caddyfile,
		map[string]any{"filename": "Caddyfile"})
	if err != nil || len(warnings) > 0 {
		t.Fatalf("adapting the Caddyfile: %v %v", warnings, err)
	}

	var config object
	testkit.NoError(t, json.Unmarshal(adapted, &config))

	return config
}

// copied returns a copy of a configuration, which can be changed without changing the original.
func copied(t *testing.T, config object) (copy object) {
	t.Helper()
	text, err := json.Marshal(config)
	if err == nil {
		err = json.Unmarshal(text, &copy)
	}
	testkit.NoError(t, err)

	return copy
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

// replacing is how long after a reload the previous server may still close connections without reading the requests on
// them. Clients then retry.
const replacing = 2 * time.Second

func (g *gateway) isReplaced() bool {
	return time.Since(time.Unix(0, g.reloaded.Load())) < replacing
}

// answer is a response with its body read.
type answer struct {
	*http.Response
	body []byte
}

// request describes the request besides method and path.
type request struct {
	body   string
	header map[string]string
}

// do sends a request. If a gateway at RODATA_URL limits the rate, do waits as long as the answer says. It retries read
// requests if the connection ends before an answer begins, because a server that is replaced by a reload may still
// accept connections while it stops.
func (g *gateway) do(t *testing.T, method, path string, more request) answer {
	t.Helper()
	for tries := 1; ; tries++ {
		r, err := http.NewRequestWithContext(t.Context(), method, g.url+path, strings.NewReader(more.body))
		testkit.NoError(t, err)

		for name, value := range more.header {
			r.Header.Set(name, value)
		}

		res, err := http.DefaultClient.Do(r)
		if err != nil && (method == http.MethodGet || g.isReplaced()) && tries < sendTries {
			<-time.After(time.Duration(tries) * sendPause)
			continue
		}
		testkit.NoError(t, err)

		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		testkit.NoError(t, err)

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

// problem checks that an answer is a complete problem of a kind, and returns its detail.
func (a answer) problem(t *testing.T, status int, slug string) string {
	t.Helper()
	if defect := a.answer().Problem(status, slug); defect != "" {
		t.Error(defect)
	}

	var p struct{ Detail string }
	_ = json.Unmarshal(a.body, &p) // or it is no problem
	return p.Detail
}

// answer returns an answer as in a conversation.
func (a answer) answer() conversation.Answer {
	return conversation.Answer{Status: a.StatusCode, Header: a.Header, Body: string(a.body)}
}

// object returns the answer's JSON object.
func (a answer) object(t *testing.T) object {
	t.Helper()
	var o object
	if err := json.Unmarshal(a.body, &o); err != nil || a.StatusCode != http.StatusOK {
		t.Fatalf("got %d %s", a.StatusCode, bytes.TrimSpace(a.body))
	}

	return o
}

// stable returns the header without parts that change from one answer to the next.
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

// Tests that change nothing share a gateway, which may be the one at RODATA_URL.
func TestAnyGateway(t *testing.T) {
	anyGateway(t).each(t, map[string]func(*testing.T, *gateway){
		"every route":             everyRoute,
		"description is complete": description,
	})
}

// Tests that need a gateway of their own, but do not disturb each other, share one.
func TestGateway(t *testing.T) {
	start(t).each(t, map[string]func(*testing.T, *gateway){
		"hit is sent compressed":             hitIsCompressed,
		"answers say their length":           answersSayTheirLength,
		"ambiguous requests":                 ambiguousRequests,
		"other records of the tax authority": otherTaxRecords,
		"rate files are the bank's":          rateFiles,
	})
}

// each runs tests of a gateway.
func (g *gateway) each(t *testing.T, tests map[string]func(*testing.T, *gateway)) {
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, g) })
	}
}
