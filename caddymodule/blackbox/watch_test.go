package blackbox

import (
	"bufio"
	"context"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/op"
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

	g.do(t, "PUT", path+"/companies/9900000011", request{header: w.header()}).problem(t, http.StatusBadRequest,
		"invalid-request")
	g.do(t, "PUT", "/v1/watchlists/wl_abcdefghijklmnopqrstuvwxyz/companies/9900000010",
		request{header: w.header()}).problem(t, http.StatusNotFound, "not-found")
	if n := w.used(t, g); n != 1 {
		t.Errorf("%d credits are used, want 1", n)
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

		same := g.do(t, "GET", address, request{header: map[string]string{"If-None-Match": a.Header.Get("Etag")}})
		if same.StatusCode != http.StatusNotModified {
			t.Errorf("%s unchanged: %d", name, same.StatusCode)
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

	if a := g.do(t, "DELETE", path+"/companies/9900000010",
		request{header: w.header()}); a.StatusCode != http.StatusNoContent {
		t.Errorf("unwatched: %d", a.StatusCode)
	}
}

func TestEventsThroughTheDoor(t *testing.T) {
	var w wallet
	g := start(t, paying(t, &w, 100))
	page := w.get(t, g, "/v1/events").object(t)
	if items := page["items"].([]any); len(items) != 0 || page["hasMore"] != false || page["nextCursor"] == "" {
		t.Errorf("%v", page)
	}
	if page := w.get(t, g, "/v1/events?after="+page["nextCursor"].(string)).object(t); page["hasMore"] != false {
		t.Errorf("%v", page)
	}

	other := g.do(t, "GET", "/v1/events?after=AAAAAQAAAAAAAAABAAAAAAAAAAA",
		request{header: map[string]string{"X-Api-Key": w.key}})
	other.problem(t, http.StatusBadRequest, "invalid-request")
	g.do(t, "GET", "/v1/changes", request{header: map[string]string{"X-Api-Key": w.key}}).problem(t,
		http.StatusNotFound, "not-found")
	for _, path := range watchRoutes {
		path = strings.NewReplacer("{id}", "default", "{cui}", "9900000010").Replace(path)
		if method := "GET"; !strings.Contains(path, "/companies/") {
			g.do(t, method, path, request{}).problem(t, http.StatusUnauthorized, "unauthorized")
		}
	}

	for media, first := range map[string]string{op.SSEType: "retry: 2000", op.NDJSONType: ""} {
		ctx, leave := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, "GET", g.url+"/v1/events", nil)
		if err != nil {
			t.Fatal(err)
		}

		r.Header.Set("X-Api-Key", w.key)
		r.Header.Set("Accept", media)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}

		line, err := bufio.NewReader(res.Body).ReadString('\n')
		if err != nil || strings.TrimSpace(line) != first || !strings.HasPrefix(res.Header.Get("Content-Type"), media) {
			t.Errorf("%s begins with %q, %v, %v", media, line, err, res.Header)
		}

		leave()
		res.Body.Close()
	}
}
