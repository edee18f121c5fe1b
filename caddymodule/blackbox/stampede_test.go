package blackbox

import (
	"bytes"
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
