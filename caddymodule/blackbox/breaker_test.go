package blackbox

import (
	"net/http"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
	"github.com/rodata/rodata/testkit/standin"
)

const breakerState = `rodata_breaker_state{upstream="anaf"}`

// The values of rodata_breaker_state.
const (
	closed   = 0
	halfOpen = 1
	open     = 2
)

// companies are paths of companies known to the stand-ins.
func companies(t *testing.T) []string {
	t.Helper()
	known, err := standin.Companies()
	testkit.NoError(t, err)

	paths := make([]string, len(known))
	for i, c := range known {
		paths[i] = "/v1/companies/" + c.CUI.String()
	}

	return paths
}

// withBreaker makes the tax authority count as down after three failures, and companies be refreshed in the background
// from the start.
func withBreaker(openFor string) func(*gateway) {
	return func(g *gateway) {
		g.app()["cache"] = object{"companies": object{"fresh": "1ms"}}
		g.upstream("anaf")["timeout"] = "500ms"
		g.upstream("anaf")["breaker"] = object{"failures": 3, "open_for": openFor}
	}
}

// trip makes the tax authority fail until its breaker opens, and returns the companies that have not been requested.
func (g *gateway) trip(t *testing.T, paths []string) []string {
	t.Helper()
	g.registries.ANAF.Always(standin.WAF)
	for failures := 0; g.metric(t, breakerState) != open; failures++ { // two suffice if they outweigh the successes
		if failures == 3 {
			t.Fatal("the breaker is not open after three failures")
		}

		g.get(t, paths[0]).problem(t, http.StatusBadGateway, "upstream-error")
		paths = paths[1:]
	}

	return paths
}

// A failing registry is not queried: callers get an immediate error with a Retry-After.
func TestOpenBreakerAsksNothing(t *testing.T) {
	g := start(t, withBreaker("1m"))
	paths := companies(t)
	stored := paths[0]
	g.get(t, stored)
	paths = g.trip(t, paths[1:])

	asked := g.registries.ANAF.Requests().Requests
	for _, path := range paths[:20] {
		got := g.get(t, path)
		got.problem(t, http.StatusServiceUnavailable, "unavailable")
		if wait := got.Header.Get("Retry-After"); wait != "60" && wait != "59" {
			t.Errorf("Retry-After is %q", wait)
		}
	}

	for range 5 {
		if got := g.get(t, stored); got.StatusCode != http.StatusOK || got.Header.Get("x-cache") != "HIT" {
			t.Errorf("what is stored: got %d %s", got.StatusCode, got.body)
		}
	}

	if n := g.registries.ANAF.Requests().Requests; n != asked {
		t.Errorf("it was asked %d times while the breaker was open", n-asked)
	}
	if source := g.source(t, "anaf"); source["state"] != "down" || source["breaker"] != "open" {
		t.Errorf("the status says %v", source)
	}
}

// source returns a registry's entry in /v1/status.
func (g *gateway) source(t *testing.T, name string) object {
	t.Helper()
	for _, s := range g.get(t, "/v1/status").object(t)["sources"].([]any) {
		if source := s.(object); source["name"] == name {
			return source
		}
	}

	t.Fatalf("the status has no %s", name)
	return nil
}

// A stored copy is served at once, and its background refresh is the probe that closes the breaker. No caller waits
// for a probe or fails because of one.
func TestRecoveryNeedsNoWaitingCallerLong(t *testing.T) {
	long.Only(t, "waits for seconds")
	g := start(t, withBreaker("300ms"), func(g *gateway) {
		g.upstream("anaf")["timeout"] = "5s" // the probe succeeds on a slow machine too
	})
	paths := companies(t)
	stored := paths[0]
	g.get(t, stored)
	g.trip(t, paths[1:])
	promptly := within(t, 100*time.Millisecond)
	g.registries.ANAF.Always(standin.Delay(promptly))

	testkit.Until(t, "the breaker is half open", func() bool { return g.metric(t, breakerState) == halfOpen })
	asked := g.registries.ANAF.Requests().Requests
	began := time.Now()
	got := g.get(t, stored)
	if took := time.Since(began); got.StatusCode != http.StatusOK || got.Header.Get("x-cache") != "HIT" ||
		took >= promptly {
		t.Errorf("got %d %v after %s", got.StatusCode, got.Header, took)
	}

	testkit.Until(t, "the breaker is closed", func() bool { return g.metric(t, breakerState) == closed })
	if n := g.registries.ANAF.Requests().Requests; n != asked+1 {
		t.Errorf("the registry was probed %d times", n-asked)
	}
}
