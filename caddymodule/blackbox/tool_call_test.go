package blackbox

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
)

// handler finds a handler of the web server by its name.
func handler(config any, name string) object {
	switch v := config.(type) {
	case object:
		if v["handler"] == name {
			return v
		}

		for _, member := range v {
			if h := handler(member, name); h != nil {
				return h
			}
		}
	case []any:
		for _, item := range v {
			if h := handler(item, name); h != nil {
				return h
			}
		}
	}

	return nil
}

// companyCall is a tool call for the company at a path of REST.
func companyCall(path string) request {
	return toolCallOf("", "get_company", `{"cui":"`+strings.TrimPrefix(path, "/v1/companies/")+`"}`)
}

// The channels share fetched data, and concurrent callers of both share one request to the registry.
func TestChannelsShareTheCache(t *testing.T) {
	g := start(t, withCaddyMetrics)
	path := companies(t)[0]
	g.registries.ANAF.Queue(standin.Hang)
	var wg sync.WaitGroup
	var rest, tool answer
	wg.Go(func() { rest = g.get(t, path) })
	wg.Go(func() { tool = g.do(t, "POST", "/mcp", companyCall(path)) })
	testkit.Until(t, "both calls wait for one request", func() bool {
		return g.metric(t, inFlight) == 2 && g.registries.ANAF.Requests().Requests == 1
	})
	g.registries.ANAF.Release()
	wg.Wait()
	// The later call may have arrived after the fetch, and is then a hit.
	misses := []string{rest.Header.Get("x-cache"), tool.outcome(t).Meta.Cache}
	if !slices.Contains(misses, "MISS") || tool.outcome(t).StructuredContent["name"] != rest.object(t)["name"] {
		t.Errorf("the first calls: %v %s, %s", rest.Header, rest.body, tool.body)
	}

	tool, rest = g.do(t, "POST", "/mcp", companyCall(path)), g.get(t, path)
	if o := tool.outcome(t); rest.Header.Get("x-cache") != "HIT" || o.Meta.Cache != "HIT" {
		t.Errorf("the next calls: %v, %s", rest.Header, tool.body)
	}
	if n := g.registries.ANAF.Requests().Numbers; n != 1 {
		t.Errorf("the registry was asked about %d numbers", n)
	}
}

// A tool call in flight while everything under it is replaced ends normally; open streams then end, and block nothing.
func TestToolCallAcrossReload(t *testing.T) {
	g := start(t, withCaddyMetrics, func(g *gateway) { g.sell(100) })
	cookie := g.signUp(t, "ana@exemplu.example", "o parolă lungă")
	g.withCookie(t, cookie, "POST", "/v1/watchlists", `{"name":"Furnizori"}`, nil)
	var w wallet
	g.withCookie(t, cookie, "POST", "/v1/keys", `{"name":"mcp"}`, &struct{ Key *string }{&w.key})
	listening := modernRequest(&w, "subscriptions/listen", "",
		`"notifications":{"resourceSubscriptions":["watchlist://default"]}`)
	g.registries.ANAF.Queue(standin.Hang)
	var wg sync.WaitGroup
	var call, stream answer
	wg.Go(func() { call = g.do(t, "POST", "/mcp", companyCall(companies(t)[0])) })
	wg.Go(func() { stream = g.do(t, "POST", "/mcp", listening) })
	testkit.Until(t, "both calls wait for one request", func() bool {
		return g.metric(t, inFlight) == 2 && g.registries.ANAF.Requests().Requests == 1
	})
	g.app()["data_dir"] = t.TempDir()
	g.upstream("anaf")["pace"] = "2ms"
	g.config["apps"].(object)["http"].(object)["grace_period"] = "2m" // what a reload takes that waits for the call
	began := time.Now()
	testkit.NoError(t, g.load())
	if took := time.Since(began); took > time.Minute {
		t.Errorf("the reload took %s", took)
	}
	if o := g.do(t, "POST", "/mcp", toolCallOf("", "search_counties", "{}")).outcome(t); o.Meta.Status != 200 {
		t.Errorf("the new configuration answers %+v", o)
	}

	g.registries.ANAF.Release()
	wg.Wait()
	if o := call.outcome(t); o.Meta.Status != 200 || o.Meta.Cache != "MISS" {
		t.Errorf("the call in flight: %+v", o)
	}
	if stream.StatusCode != 200 || !strings.Contains(string(stream.body), "notifications/subscriptions/acknowledged") {
		t.Errorf("the stream: %d %s", stream.StatusCode, stream.body)
	}
}
