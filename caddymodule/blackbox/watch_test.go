package blackbox

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/monitoring"
)

// watchRoutes are the routes of watch-lists and events.
var watchRoutes = []string{
	"/v1/watchlists", "/v1/watchlists/{id}", "/v1/watchlists/{id}/companies", "/v1/watchlists/{id}/companies/{cui}",
	"/v1/watchlists/{id}/feed.atom", "/v1/watchlists/{id}/feed.json", "/v1/events", "/v1/changes",
}

// webhookRoutes are the routes of webhooks, with a method of each.
var webhookRoutes = map[string]string{
	"/v1/webhooks": "GET", "/v1/webhooks/{id}": "GET", "/v1/webhooks/{id}/deliveries": "GET",
	"/v1/webhooks/{id}/rotate": "POST",
	"/v1/webhooks/{id}/test":   "POST", "/v1/webhooks/{id}/replay": "POST",
	"/v1/webhooks/{id}/deliveries/{delivery}/retry": "POST",
}

func webhooksNeedAccount(t *testing.T, g *gateway) {
	for path, method := range webhookRoutes {
		path = strings.NewReplacer("{id}", "wh_1", "{delivery}", "evt_1").Replace(path)
		g.do(t, method, path, request{}).problem(t, http.StatusUnauthorized, "unauthorized")
	}
}

func TestWatchlistsAndTheirFeeds(t *testing.T) {
	var w wallet
	g := start(t, paying(t, &w, 100))
	created := g.do(t, "POST", "/v1/watchlists",
		request{header: w.header(), body: `{"name": "Suppliers", "every": "week"}`})
	if created.StatusCode != http.StatusCreated {
		t.Fatalf("%d %s", created.StatusCode, created.body)
	}

	created.StatusCode = http.StatusOK
	list := created.object(t)
	path := "/v1/watchlists/" + list["id"].(string)
	for _, put := range []string{path, "/v1/watchlists/default"} {
		if a := g.do(t, "PUT", put+"/companies/9900000010",
			request{header: w.header(), body: `{"reference": "S-1"}`}); a.StatusCode != http.StatusNoContent {
			t.Errorf("watched: %d %s", a.StatusCode, a.body)
		}
	}

	feeds := list["feeds"].(object)
	for name, media := range map[string]string{"atom": monitoring.AtomType, "json": monitoring.JSONFeedType} {
		address := feeds[name].(string)
		a := g.get(t, address)
		if a.StatusCode != http.StatusOK || !strings.HasPrefix(a.Header.Get("Content-Type"), media) ||
			a.Header.Get("Etag") == "" ||
			!strings.Contains(string(a.body), "Suppliers") || !strings.Contains(string(a.body), g.url+address) {
			t.Errorf("%s: %d %v %s", name, a.StatusCode, a.Header, a.body)
		}
	}

	shown := w.get(t, g, path).object(t)["feeds"].(object)["atom"].(string)
	if want := path + "/feed.atom"; shown != want || w.get(t, g, shown).StatusCode != http.StatusOK {
		t.Errorf("later the address is %s, want %s", shown, want)
	}

	g.get(t, shown).problem(t, http.StatusUnauthorized, "unauthorized")

	secret, _, _ := strings.Cut(strings.TrimPrefix(feeds["atom"].(string), "/v1/watchlists/"), "/")
	planted{"feed": secret}.notIn(t, os.Getenv("RODATA_DATA_DIR"))
	rotated := g.do(t, "PATCH", path, request{header: w.header(), body: `{"rotateFeeds": true}`}).object(t)
	g.get(t, feeds["atom"].(string)).problem(t, http.StatusNotFound, "not-found")
	if a := g.get(t, rotated["feeds"].(object)["atom"].(string)); a.StatusCode != http.StatusOK {
		t.Errorf("at the new address: %d", a.StatusCode)
	}
}
