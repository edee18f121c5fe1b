package blackbox

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/service"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
	"github.com/rodata/rodata/testkit/mailserver"
	"github.com/rodata/rodata/testkit/standin"
)

// changing is a company of the stand-in. Its VAT registration changes at each look.
var changing = standin.NumberChanging.String()

// looking makes the mirror check watched companies several times a second, and permits webhooks on this machine.
func looking(t *testing.T) func(*gateway) {
	usual := service.SandboxLook
	service.SandboxLook = 200 * time.Millisecond
	t.Cleanup(func() { service.SandboxLook = usual }) // runs after the gateway has stopped
	return func(g *gateway) {
		g.app()["environment"] = "sandbox"
		g.app()["webhooks"] = object{"private": "on"}
	}
}

// arrival is a received event.
type arrival struct {
	monitoring.Event
	at time.Time
}

func ids(all []arrival) []string {
	list := make([]string, len(all))
	for i := range all {
		list[i] = all[i].ID
	}
	return list
}

// arrivals are the received events, in order of arrival.
type arrivals struct {
	mu  sync.Mutex
	all []arrival
}

func (a *arrivals) add(t *testing.T, document []byte) {
	var e monitoring.Event
	if err := json.Unmarshal(document, &e); err != nil {
		t.Errorf("%s: %v", document, err)
	}

	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, arrival{e, time.Now()})
}

func (a *arrivals) list() []arrival {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.all)
}

func (a *arrivals) count() int { return len(a.list()) }

// stream sends a request, and passes on the lines of its answer until it ends. It returns the status, 0 for no answer.
func (g *gateway) stream(ctx context.Context, method, path string, more request, line func(string)) int {
	r, err := http.NewRequestWithContext(ctx, method, g.url+path, strings.NewReader(more.body))
	if err != nil {
		return 0
	}

	for name, value := range more.header {
		r.Header.Set(name, value)
	}

	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	defer res.Body.Close()

	for lines := bufio.NewScanner(res.Body); res.StatusCode == http.StatusOK && lines.Scan(); {
		line(lines.Text())
	}

	return res.StatusCode
}

// follower follows an account's events over SSE. Like a browser, it reconnects with the last id when a stream ends,
// until it is refused.
type follower struct {
	arrivals
	mu      sync.Mutex
	streams int
	ended   chan struct{}
}

func (w *wallet) follow(t *testing.T, g *gateway) *follower {
	f := &follower{ended: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	last := ""
	go func() {
		defer close(f.ended)
		for ctx.Err() == nil {
			more := request{header: map[string]string{"Authorization": "Bearer " + w.key, "Accept": op.SSEType}}
			if last != "" {
				more.header["Last-Event-ID"] = last
			}

			status := g.stream(ctx, "GET", "/v1/events", more, func(line string) {
				switch name, value, _ := strings.Cut(line, ": "); name {
				case "retry":
					f.mu.Lock()
					f.streams++
					f.mu.Unlock()
				case "id":
					last = value
				case "data":
					f.add(t, []byte(value))
				}
			})
			if status == http.StatusUnauthorized {
				return
			}

			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-f.ended })
	testkit.Until(t, "the stream of events begins", func() bool { return f.opened() > 0 })
	return f
}

// opened is the number of streams so far.
func (f *follower) opened() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.streams
}

// hook is an endpoint on this machine that verifies requests with the official library.
type hook struct {
	arrivals
	url string
}

func (w *wallet) hook(t *testing.T, g *gateway) *hook {
	h := new(hook)
	var mu sync.Mutex
	var verifier *standardwebhooks.Webhook
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		if err := verifier.Verify(body, r.Header); err != nil {
			t.Errorf("the official library refuses %s: %v", body, err)
		}

		h.add(t, body)
		if all := h.list(); all[len(all)-1].ID != r.Header.Get("webhook-id") {
			t.Errorf("the event %s comes as %s", all[len(all)-1].ID, r.Header.Get("webhook-id"))
		}
	}))
	t.Cleanup(receiver.Close)

	mu.Lock()
	defer mu.Unlock()
	made := g.do(t, "POST", "/v1/webhooks", request{header: w.header(), body: `{"url": "` + receiver.URL + `"}`})
	var body struct{ Secret string }
	if err := json.Unmarshal(made.body, &body); err != nil || made.StatusCode != http.StatusCreated {
		t.Fatalf("the webhook: %d %s", made.StatusCode, made.body)
	}

	verifier, err := standardwebhooks.NewWebhook(body.Secret)
	testkit.NoError(t, err)

	h.url = receiver.URL
	return h
}

// watch adds a company to the account's first watch-list, for a number of credits.
func (w *wallet) watch(t *testing.T, g *gateway, company string, credits int) {
	t.Helper()
	a := g.do(t, "PUT", "/v1/watchlists/default/companies/"+company,
		request{header: w.header(), body: `{"reference": "SUP-001"}`})
	if a.StatusCode != http.StatusNoContent || a.Header.Get("x-credits-cost") != fmt.Sprint(credits) {
		t.Fatalf("watching %s: %d for %s credits, want %d: %s", company, a.StatusCode, a.Header.Get("x-credits-cost"),
			credits, a.body)
	}
}

// events returns all events of the account, oldest first.
func (w *wallet) events(t *testing.T, g *gateway) []arrival {
	t.Helper()
	var body struct{ Items []monitoring.Event }
	a := w.get(t, g, "/v1/events?limit=100")
	if err := json.Unmarshal(a.body, &body); err != nil || a.StatusCode != http.StatusOK {
		t.Fatalf("the events: %d %s", a.StatusCode, a.body)
	}

	all := make([]arrival, len(body.Items))
	for i, e := range body.Items {
		all[i].Event = e
	}

	return all
}

// watched returns a company's entry in the account's first watch-list.
func (w *wallet) watched(t *testing.T, g *gateway, company string) (of monitoring.WatchedCompany) {
	t.Helper()
	var body struct{ Items []monitoring.WatchedCompany }
	a := w.get(t, g, "/v1/watchlists/default/companies?limit=100")
	if err := json.Unmarshal(a.body, &body); err != nil || a.StatusCode != http.StatusOK {
		t.Fatalf("the companies: %d %s", a.StatusCode, a.body)
	}

	for _, of := range body.Items {
		if of.TaxID.String() == company {
			return of
		}
	}

	t.Fatalf("%s is not watched: %s", company, a.body)
	return of
}

// looksPass waits for a number of further looks at a company that an account watches.
func (w *wallet) looksPass(t *testing.T, g *gateway, company string, looks int) {
	t.Helper()
	last := w.watched(t, g, company).LastCheckedAt
	for range looks {
		testkit.Until(t, "the next look at "+company, func() bool {
			at := w.watched(t, g, company).LastCheckedAt
			passed := at != nil && (last == nil || at.After(*last))
			if passed {
				last = at
			}

			return passed
		})
	}
}

// stopwatch records the times of requests to the tax authority.
type stopwatch struct {
	mu    sync.Mutex
	looks []time.Time
}

func (g *gateway) stopwatch(t *testing.T) *stopwatch {
	s := new(stopwatch)
	stop, stopped := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(stop); <-stopped })
	go func() {
		defer close(stopped)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for n := g.registries.ANAF.Requests().Requests; ; {
			select {
			case <-stop:
				return
			case <-tick.C:
			}

			if now := g.registries.ANAF.Requests().Requests; now > n {
				n = now
				s.mu.Lock()
				s.looks = append(s.looks, time.Now())
				s.mu.Unlock()
			}
		}
	}()
	return s
}

// since returns the time from the last look to an arrival.
func (s *stopwatch) since(t *testing.T, a arrival) time.Duration {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, look := range slices.Backward(s.looks) {
		if look.Before(a.at) {
			return a.at.Sub(look)
		}
	}

	t.Fatalf("%s came before any look", a.ID)
	return 0
}

// modernRequest returns a message of the revision without sessions.
func modernRequest(w *wallet, method, name, params string) request {
	r := message(w.key, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+
		`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`)
	r.header["MCP-Protocol-Version"], r.header["Mcp-Method"] = "2026-07-28", method
	if name != "" {
		r.header["Mcp-Name"] = name
	}

	return r
}

// One account watches a company over REST, and another over MCP. Both receive its changes in separate feeds, for one
// credit each; a third account receives nothing. After the accounts are closed, looks and notifications end.
func TestMonitoring(t *testing.T) {
	var rest, tool, third wallet
	var admin gateway
	fast := looking(t)
	g := start(t, paying(t, &rest, 100), fast, withAdmin(t, &admin))
	o := operator{t, &admin}
	tool.account, tool.key = o.opens("free")
	third.account, third.key = o.opens("free")

	clock, hooked, follows := g.stopwatch(t), rest.hook(t, g), rest.follow(t, g)
	rest.watch(t, g, changing, 1)
	updated := tool.listens(t, g)
	testkit.Until(t, "three changes are told of", func() bool { return follows.count() >= 3 && hooked.count() >= 3 })

	followed, delivered := follows.list(), hooked.list()
	for i := range 3 {
		e := followed[i]
		feed, delivery := clock.since(t, e), clock.since(t, delivered[i])
		t.Logf("%s: in the feed %s after the look, delivered %s after it", e.Type, feed, delivery)
		if feed > 30*time.Second || delivery > 30*time.Second {
			t.Error("that is too late")
		}

		if want := []monitoring.EventKind{monitoring.VATCancelled, monitoring.VATRegistered,
			monitoring.VATCancelled}[i]; e.Type != want ||
			e.Data.TaxID.String() != changing ||
			*e.Data.Reference != "SUP-001" || e.Data.Changes[0].Field != "vatPayer" || delivered[i].ID != e.ID {
			t.Errorf("the feed has %+v, the delivery %+v", e.Event, delivered[i].Event)
		}
	}

	if got := rest.events(t, g); !slices.Equal(ids(got[:3]), ids(followed[:3])) {
		t.Errorf("the page has the events %q, the stream has %q", ids(got), ids(followed))
	}

	testkit.Until(t, "the subscription is told", func() bool {
		return updated("watchlist://default") > 0 && updated("company://"+changing) > 0
	})
	list := g.do(t, "POST", "/mcp", modernRequest(&tool, "tools/call", "list_changes",
		`"name":"list_changes","arguments":{}`)).outcome(t)
	items, _ := list.StructuredContent["items"].([]any)
	if len(items) == 0 || items[0].(object)["data"].(object)["reference"] != "SUP-MCP" {
		t.Errorf("list_changes: %+v", list)
	}
	if got := third.events(t, g); len(got) != 0 {
		t.Errorf("another account got the events %q", ids(got))
	}

	for _, other := range []wallet{tool, third} {
		own := other.get(t, g, "/v1/events").object(t)["nextCursor"].(string)
		if detail := rest.get(t, g, "/v1/events?after="+own).problem(t, http.StatusBadRequest,
			"invalid-request"); !strings.Contains(detail, "account") {
			t.Errorf("a cursor of another account: %s", detail)
		}
	}

	for _, w := range []wallet{rest, tool} {
		if n := w.used(t, g); n != 1 {
			t.Errorf("%d credits are used after %d events, want 1", n, follows.count())
		}
	}

	third.watch(t, g, "9900000010", 1)
	o.asks("DELETE", "/rodata/accounts/"+rest.account, "", nil)
	o.asks("DELETE", "/rodata/accounts/"+tool.account, "", nil)
	for _, w := range []wallet{rest, tool} {
		w.get(t, g, "/v1/events").problem(t, http.StatusUnauthorized, "unauthorized")
	}

	third.looksPass(t, g, "9900000010", 2) // looks at the other company have ended
	before, sent, streamed := third.get(t, g, "/v1/companies/"+changing), hooked.count(), follows.count()
	third.looksPass(t, g, "9900000010", 3)
	if after := third.get(t, g, "/v1/companies/"+changing); after.Header.Get("x-cache") != "HIT" ||
		string(after.body) != string(before.body) {
		t.Errorf("the company of closed accounts is still looked at: %s, then %s", before.body, after.body)
	}
	if n, m := hooked.count(), follows.count(); n != sent || m != streamed {
		t.Errorf("a closed account got %d deliveries and %d notifications", n-sent, m-streamed)
	}
}

// listens watches the changing company with a tool, and subscribes to it and to the watch-list. The result counts the
// notifications about a resource.
func (w *wallet) listens(t *testing.T, g *gateway) (updated func(uri string) int) {
	t.Helper()
	added := g.do(t, "POST", "/mcp", modernRequest(w, "tools/call", "watch_company",
		`"name":"watch_company","arguments":{"cui":"`+changing+`","reference":"SUP-MCP"}`)).outcome(t)
	if added.IsError || added.Meta.Status != http.StatusNoContent {
		t.Fatalf("watch_company: %+v", added)
	}

	var mu sync.Mutex
	updates := make(map[string]int)
	acknowledged, ended := make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer close(ended)
		listen := modernRequest(w, "subscriptions/listen", "",
			`"notifications":{"resourceSubscriptions":["watchlist://default","company://`+changing+`"]}`)
		g.stream(ctx, "POST", "/mcp", listen, func(line string) {
			data, ok := strings.CutPrefix(line, "data: ")
			if !ok {
				return
			}

			var n struct {
				Method string
				Params struct{ URI string }
			}
			if err := json.Unmarshal([]byte(data), &n); err != nil {
				t.Errorf("%s: %v", data, err)
			}

			switch n.Method {
			case "notifications/subscriptions/acknowledged":
				close(acknowledged)
			case "notifications/resources/updated":
				mu.Lock()
				updates[n.Params.URI]++
				mu.Unlock()
			}
		})
	}()
	t.Cleanup(func() { cancel(); <-ended })
	select {
	case <-acknowledged:
	case <-ended:
		t.Fatal("the subscription ended at once")
	}

	return func(uri string) int {
		mu.Lock()
		defer mu.Unlock()
		return updates[uri]
	}
}

// A watched company without its last statement causes the event, once the files of all years are loaded.
func TestAbsentStatement(t *testing.T) {
	var w wallet
	g := start(t, paying(t, &w, 100), looking(t), loadingTradeRegister)
	none := "/v1/companies?limit=1&statement=not_in_published_files"
	testkit.Until(t, "the statements are loaded", func() bool { return g.get(t, none).StatusCode == http.StatusOK })
	found := g.get(t, none).object(t)["items"].([]any)[0].(object)["taxId"]
	w.watch(t, g, fmt.Sprintf("%.0f", found), 1)
	if a := g.do(t, "PATCH", "/v1/watchlists/default", request{header: w.header(),
		body: `{"events": ["company.statement.absent"]}`}); a.StatusCode != http.StatusOK {
		t.Fatalf("following the event: %d %s", a.StatusCode, a.body)
	}

	testkit.Until(t, "the event", func() bool { return len(w.events(t, g)) > 0 })
	e := w.events(t, g)[0]
	if e.Type != monitoring.StatementAbsent || e.Data.TaxID.String() != fmt.Sprintf("%.0f", found) ||
		e.Data.Statement == nil {
		t.Errorf("%+v", e)
	}
}

// Reloads lose no event and no delivery, even if they replace the sender of webhooks; followers reconnect, and continue
// from their position.
func TestMonitoringAcrossReloadsLong(t *testing.T) {
	var w wallet
	fast := looking(t)
	g := start(t, paying(t, &w, 100), fast)
	hooked, follows := w.hook(t, g), w.follow(t, g)
	w.watch(t, g, changing, 1)
	testkit.Until(t, "the first change", func() bool { return follows.count() > 0 })
	reloads := 2
	if long.Full(t) {
		reloads = 4
	}

	for i := range reloads {
		streams, events := follows.opened(), follows.count()
		g.sell(100 + i)
		if i%2 == 0 {
			g.app()["base_url"] = fmt.Sprintf("https://%d.example.ro", i) // another sender of webhooks
		}
		testkit.NoError(t, g.load())

		testkit.Until(t, "the follower is back, and is told more", func() bool {
			return follows.opened() > streams && follows.count() > events
		})
	}

	if a := g.do(t, "DELETE", "/v1/watchlists/default/companies/"+changing,
		request{header: w.header()}); a.StatusCode != http.StatusNoContent {
		t.Fatalf("unwatched: %d %s", a.StatusCode, a.body)
	}

	feed := w.events(t, g)
	testkit.Until(t, "everything has come", func() bool {
		return follows.count() >= len(feed) && len(distinct(hooked.list())) >= len(feed)
	})
	if got := follows.list(); !slices.Equal(ids(got), ids(feed)) {
		t.Errorf("the streams have the events %q, the feed has %q", ids(got), ids(feed))
	}
	if got := distinct(hooked.list()); !slices.Equal(got, ids(feed)) {
		t.Errorf("the webhook got %q, the feed has %q", got, ids(feed))
	}

	for i := range feed {
		if want := []monitoring.EventKind{monitoring.VATCancelled,
			monitoring.VATRegistered}[i%2]; feed[i].Type != want {
			t.Errorf("event %d is %s, want %s", i, feed[i].Type, want)
		}
	}

	t.Logf("%d reloads, %d events, %d deliveries, %d streams", reloads, len(feed), hooked.count(), follows.opened())
}

// distinct returns the ids in order of first arrival.
func distinct(all []arrival) (list []string) {
	for _, id := range ids(all) {
		if !slices.Contains(list, id) {
			list = append(list, id)
		}
	}

	return list
}

// The digest of a new list is mailed to the confirmed address. Its link ends it without a session, but only by a POST.
func TestDigestEndsWithOneClick(t *testing.T) {
	server := mailserver.Start(t, mailserver.Options{})
	g := start(t, mailTo(server.Address()), looking(t))
	cookie := g.signUpByMail(t, server, "Ana Exemplu", "ana@exemplu.example")
	g.withCookie(t, cookie, "PUT", "/v1/watchlists/default/companies/"+changing, "", nil)
	changed, stop := context.WithCancel(t.Context())
	g.stream(changed, "GET", "/v1/events", request{header: map[string]string{"Cookie": cookie, "Accept": op.SSEType}},
		func(line string) {
			if strings.HasPrefix(line, "data: ") {
				stop()
			}
		})
	if changed.Err() == nil {
		t.Fatal("the stream ended before the company changed")
	}

	testkit.NoError(t, caddy.Stop())
	db := testkit.Must(sql.Open("sqlite", filepath.Join(os.Getenv("RODATA_DATA_DIR"), "history.db")+
		"?_pragma=busy_timeout(10000)"))
	testkit.NoError(t, testkit.Err(db.Exec(`UPDATE watchlists SET digest_at = 1`))) // long due
	testkit.NoError(t, db.Close())
	g.reload(t)

	mail := server.Next(t).Read(t)
	link, found := strings.CutPrefix(strings.Trim(mail.Header.Get("List-Unsubscribe"), "<>"), g.url)
	if !found || !strings.Contains(mail.Text, g.url+link+"&lang=ro\n") {
		t.Fatalf("the mail has the link %q and the text\n%s", link, mail.Text)
	}

	for _, c := range []struct {
		method, path string
		status       int
		digest       monitoring.Digest
	}{
		{"GET", link, http.StatusOK, monitoring.WeeklyDigest},
		{"POST", link + "0", http.StatusNotFound, monitoring.WeeklyDigest},
		{"POST", link, http.StatusOK, monitoring.NoDigest},
	} {
		got := g.do(t, c.method, c.path, request{body: "List-Unsubscribe=One-Click",
			header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}})
		var list monitoring.Watchlist
		g.withCookie(t, cookie, "GET", "/v1/watchlists/default", "", &list)
		if got.StatusCode != c.status || list.Digest != c.digest {
			t.Errorf("%s %s: got %d %s, and the digest is %s", c.method, c.path, got.StatusCode, got.body, list.Digest)
		}
	}
}
