package blackbox

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rodata/rodata/upstream/upstreamtest"
)

// TestRecordsWithoutVATData promises that the VAT status of a record without VAT data is null, and counted; and that an
// answer of only such records is rejected.
func TestRecordsWithoutVATData(t *testing.T) {
	waits(t)
	// With a pace at which concurrent callers share the second call at the latest.
	g := start(t, func(g *gateway) {
		g.upstream("anaf")["breaker"], g.upstream("anaf")["pace"] = object{"failures": 100}, "1s"
	})
	paths := companies(t)
	g.registries.ANAF.Always(upstreamtest.LacksVAT)

	alone := g.get(t, paths[0]).object(t)
	if alone["name"] == "" || alone["vatPayer"] != nil || alone["vatPeriods"] != nil || alone["vatSince"] != nil ||
		alone["inactive"] == nil {
		t.Errorf("got %v", alone)
	}
	if n := g.metric(t, `rodata_upstream_incomplete_total{upstream="anaf"}`); n != 1 {
		t.Errorf("%v records are counted", n)
	}

	var refused atomic.Int32
	var callers sync.WaitGroup
	for _, path := range paths[1:11] {
		callers.Go(func() {
			if g.get(t, path).StatusCode == http.StatusBadGateway {
				refused.Add(1)
			}
		})
	}

	if callers.Wait(); refused.Load() < 8 { // the first one or two may have had a separate call
		t.Errorf("%d of 10 are refused", refused.Load())
	}

	g.registries.ANAF.Always(upstreamtest.Fault{})
	if after := g.get(t, paths[11]).object(t); after["vatPayer"] == nil {
		t.Errorf("got %v", after)
	}
}
