package blackbox

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/upstream/upstreamtest"
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
	g.registries.ANAF.Queue(upstreamtest.Hang)
	var wg sync.WaitGroup
	var rest, tool answer
	wg.Go(func() { rest = g.get(t, path) })
	wg.Go(func() { tool = g.do(t, "POST", "/mcp", companyCall(path)) })
	g.await(t, func() bool { return g.metric(t, inFlight) == 2 && g.registries.ANAF.Requests().Requests == 1 })
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

// If a client disconnects, by closing its connection or, in HTTP/2, the stream, its call ends within 100 ms. If its
// request to the registry is still in the queue, it is dropped. If the request is already on the wire, it is finished,
// and the next caller finds its answer.
func TestHangingUpOnATool(t *testing.T) {
	for _, version := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(version, func(t *testing.T) {
			g := start(t, withCaddyMetrics, func(g *gateway) {
				servers(g.config)["srv0"].(object)["protocols"] = []string{"h1", "h2c"}
				g.upstream("anaf")["breaker"] = object{"failures": 1}
				g.upstream("anaf")["pace"] = "10s" // the deadline leaves room for one of them
			})
			transport := &http.Transport{Protocols: new(http.Protocols)}
			transport.Protocols.SetHTTP1(version == "HTTP/1.1")
			transport.Protocols.SetUnencryptedHTTP2(version == "HTTP/2.0")
			defer transport.CloseIdleConnections()
			paths := companies(t)

			g.registries.ANAF.Queue(upstreamtest.Hang)
			onWire := func() bool { return g.metric(t, `rodata_upstream_running{upstream="anaf"}`) == 1 }
			ended := func() bool { return g.metric(t, inFlight) == 0 }
			g.hangUp(t, transport, companyCall(paths[0]), onWire, ended)
			waits := func() bool { return g.metric(t, queued) == 1 }
			dropped := func() bool { return g.metric(t, queued) == 0 && ended() }
			best, promptly := time.Hour, within(100*time.Millisecond)
			for rounds := 0; best > promptly && rounds < 20; rounds++ { // a busy machine may be late
				best = min(best, g.hangUp(t, transport, companyCall(paths[1]), waits, dropped))
			}
			if best > promptly {
				t.Errorf("what waited was dropped %s later, at best", best)
			}
			if !onWire() {
				t.Error("the request on the wire has ended")
			}

			g.registries.ANAF.Release()
			g.await(t, func() bool { return g.metric(t, answered) == 1 && !onWire() })
			g.await(t, func() bool { // the answer is counted before it is stored
				o := g.do(t, "POST", "/mcp", companyCall(paths[0])).outcome(t)
				return o.Meta.Status == 200 && o.Meta.Cache == "HIT"
			})
			if n := g.registries.ANAF.Requests(); n.Numbers != 1 || n.Abandoned != 0 {
				t.Errorf("the registry counted %+v", n)
			}
			if state := g.metric(t, breakerState); state != closed {
				t.Errorf("the breaker's state is %v", state)
			}
		})
	}
}

const answered = `rodata_upstream_total{outcome="ok",upstream="anaf"}`

// hangUp makes a call, disconnects once it has begun, and returns the time until it ended.
func (g *gateway) hangUp(t *testing.T, transport http.RoundTripper, call request, begun,
	ended func() bool) time.Duration {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, "POST", g.url+"/mcp", strings.NewReader(call.body))
	if err != nil {
		t.Fatal(err)
	}

	for name, value := range call.header {
		r.Header.Set(name, value)
	}

	returned := make(chan error, 1)
	go func() {
		_, err := transport.RoundTrip(r)
		returned <- err
	}()
	g.await(t, begun)
	left := time.Now()
	leave()
	g.await(t, ended)
	took := time.Since(left)
	if err := <-returned; err == nil {
		t.Error("the client that hung up has an answer")
	}

	return took
}

// A hanging registry costs one call its deadline, and later calls nothing.
func TestTimeoutOfATool(t *testing.T) {
	waits(t)
	g := start(t, withCaddyMetrics, func(g *gateway) {
		handler(g.config, "rodata_mcp")["timeout"] = "200ms"
		g.upstream("anaf")["timeout"] = "2s"
	})
	paths := companies(t)
	g.registries.ANAF.Queue(upstreamtest.Hang)
	began := time.Now()
	o := g.do(t, "POST", "/mcp", companyCall(paths[0])).outcome(t)
	if took := time.Since(began); o.Meta.Status != http.StatusGatewayTimeout || !o.IsError ||
		o.StructuredContent != nil ||
		took > 1800*time.Millisecond {
		t.Errorf("after %s: %+v", took, o)
	}

	if n := g.metric(t, inFlight); n != 0 {
		t.Errorf("%v calls are still in flight", n)
	}

	g.await(t, func() bool { return g.metric(t, `rodata_upstream_running{upstream="anaf"}`) == 0 })
	if o := g.do(t, "POST", "/mcp", companyCall(paths[1])).outcome(t); o.Meta.Status != 200 {
		t.Errorf("the next call: %+v", o)
	}
}

// A tool call in flight while everything under it is replaced ends normally; open streams then end, and block nothing.
func TestToolCallAcrossReload(t *testing.T) {
	g := start(t, withCaddyMetrics)
	g.registries.ANAF.Queue(upstreamtest.Hang)
	var wg sync.WaitGroup
	var call, stream answer
	wg.Go(func() { call = g.do(t, "POST", "/mcp", companyCall(companies(t)[0])) })
	wg.Go(func() { stream = g.do(t, "GET", "/mcp", message("", "")) })
	g.await(t, func() bool { return g.metric(t, inFlight) == 2 && g.registries.ANAF.Requests().Requests == 1 })
	g.app()["data_dir"] = t.TempDir()
	g.upstream("anaf")["pace"] = "2ms"
	began := time.Now()
	if err := g.load(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 8*time.Second { // the grace period is 10 s
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
	if stream.StatusCode != 200 || !strings.HasPrefix(string(stream.body), ":") {
		t.Errorf("the stream: %d %s", stream.StatusCode, stream.body)
	}
}
