package blackbox

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
	"github.com/rodata/rodata/testkit/standin"
)

// inFlight returns the number of requests in flight; the configuration must enable Caddy's own metrics.
const inFlight = `caddy_http_requests_in_flight{handler="subroute",server="srv0"}`

func withCaddyMetrics(g *gateway) {
	g.config["apps"].(object)["http"].(object)["metrics"] = object{}
}

// A hundred concurrent calls for an uncached company, or a thousand in a long run, cause one request to the registry,
// and all get its answer.
func TestStampedeLong(t *testing.T) {
	callers := 100
	if long.Full(t) {
		callers = 1000
	}

	g := start(t, withCaddyMetrics, func(g *gateway) {
		g.app()["anonymous"] = object{"per_second": 10 * callers, "burst": 10 * callers}
	})
	path := companies(t)[0]
	g.registries.ANAF.Queue(standin.Hang)
	var wg sync.WaitGroup
	answers := make([]answer, callers)
	for i := range answers {
		wg.Go(func() { answers[i] = g.get(t, path) })
	}

	testkit.Until(t, "all calls wait", func() bool { return g.metric(t, inFlight) == float64(callers) })
	g.registries.ANAF.Release()
	wg.Wait()
	for _, a := range answers {
		if a.StatusCode != http.StatusOK || a.Header.Get("x-cache") != "MISS" || !bytes.Equal(a.body, answers[0].body) {
			t.Fatalf("got %d %v %s, another %s", a.StatusCode, a.Header, a.body, answers[0].body)
		}
	}

	if next := g.get(t, path); next.Header.Get("x-cache") != "HIT" ||
		next.Header.Get("ETag") != answers[0].Header.Get("ETag") {
		t.Errorf("the next call: got %v", next.Header)
	}
	if n := g.registries.ANAF.Requests().Numbers; n != 1 {
		t.Errorf("the registry was asked about %d numbers", n)
	}
}

// A caller who disconnects does not affect the others, even the first one, and does not count as a failure of the
// registry.
func TestCallerWhoLeaves(t *testing.T) {
	g := start(t, withCaddyMetrics, func(g *gateway) { g.upstream("anaf")["breaker"] = object{"failures": 1} })
	path := companies(t)[0]
	g.registries.ANAF.Queue(standin.Hang)
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, g.url+path, nil)
		if err != nil {
			left <- err
			return
		}

		_, err = http.DefaultClient.Do(r)
		left <- err
	}()
	testkit.Until(t, "the tax authority is queried", func() bool { return g.registries.ANAF.Requests().Requests == 1 })
	stays := make(chan answer, 1)
	go func() { stays <- g.get(t, path) }()
	testkit.Until(t, "two calls wait", func() bool { return g.metric(t, inFlight) == 2 })
	leave()
	if err := <-left; err == nil {
		t.Error("the caller who left has an answer")
	}

	testkit.Until(t, "one call waits", func() bool { return g.metric(t, inFlight) == 1 })
	g.registries.ANAF.Release()
	if got := <-stays; got.StatusCode != http.StatusOK || got.Header.Get("x-cache") != "MISS" {
		t.Errorf("got %d %v %s", got.StatusCode, got.Header, got.body)
	}
	if n := g.registries.ANAF.Requests().Numbers; n != 1 {
		t.Errorf("the registry was asked about %d numbers", n)
	}
	if state := g.metric(t, breakerState); state != closed {
		t.Errorf("the breaker's state is %v", state)
	}
}
