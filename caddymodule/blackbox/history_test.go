package blackbox

import (
	"testing"

	"github.com/caddyserver/caddy/v2"
)

// incidents returns the tax authority's entry in /v1/status/history.
func (g *gateway) incidents(t *testing.T) []any {
	t.Helper()
	for _, s := range g.get(t, "/v1/status/history?days=2").object(t)["sources"].([]any) {
		if source := s.(object); source["name"] == "anaf" {
			if days := source["days"].([]any); len(days) != 2 {
				t.Errorf("got %d days, want 2", len(days))
			}
			return source["incidents"].([]any)
		}
	}

	t.Fatal("the history has no anaf")
	return nil
}

// A registry that is down is down in the history, even after a reload and a restart.
func TestHistoryOutlivesTheProcess(t *testing.T) {
	g := start(t, withBreaker("1m"))
	if incidents := g.incidents(t); len(incidents) != 0 {
		t.Fatalf("a new service has incidents: %v", incidents)
	}

	g.trip(t, companies(t))
	lasting := g.incidents(t)
	if len(lasting) != 1 || lasting[0].(object)["state"] != "down" || lasting[0].(object)["to"] != nil {
		t.Fatalf("the incidents are %v, want one that has not ended", lasting)
	}

	g.app()["environment"] = "sandbox"
	if err := g.load(); err != nil {
		t.Fatal(err)
	}
	if again := g.incidents(t); len(again) != 1 || again[0].(object)["to"] != nil {
		t.Errorf("after a reload: %v", again)
	}

	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := g.load(); err != nil {
		t.Fatal(err)
	}

	ended := g.incidents(t)
	if len(ended) != 1 || ended[0].(object)["from"] != lasting[0].(object)["from"] || ended[0].(object)["to"] == nil {
		t.Errorf("after a restart, which closes the breaker: %v", ended)
	}
}
