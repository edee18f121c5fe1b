package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api"
)

// fakeChanges has the watch-lists of two accounts, and their events.
type fakeChanges struct {
	mu      sync.Mutex
	events  map[string][]api.Event
	changed chan struct{}
	down    error
}

const suppliers = "wl_abcdefghijklmnopqrstuvwxyz"

func newChanges() *fakeChanges {
	return &fakeChanges{events: make(map[string][]api.Event), changed: make(chan struct{})}
}

// happens adds an event about a company to an account's feed, without waking followers.
func (f *fakeChanges) happens(account string, company api.CUI) {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := suppliers
	f.events[account] = append(f.events[account], api.Event{Data: api.EventData{TaxID: &company, Watchlist: &list}})
}

func (f *fakeChanges) tell() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.changed)
	f.changed = make(chan struct{})
}

func (f *fakeChanges) Watches(_ context.Context, account string, company api.CUI) (bool, error) {
	return account == "pro" && (company == example || company == slow) || account == "many" && company == broken, f.down
}

func (f *fakeChanges) WatchlistID(_ context.Context, account, named string) (string, error) {
	if account == "pro" && (named == suppliers || named == "default") {
		return suppliers, f.down
	}
	return "", f.down
}

func (f *fakeChanges) Now(_ context.Context, account string) (api.EventCursor, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return api.EventCursor{Number: int64(len(f.events[account]))}, f.down
}

// Feed returns one event at a time.
func (f *fakeChanges) Feed(_ context.Context, account string, after api.EventCursor, _ api.EventFilter,
	_ int) (api.EventPage, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	events := f.events[account][after.Number:]
	one := min(1, len(events))
	return api.EventPage{Events: slices.Clone(events[:one]), More: len(events) > 1,
		Next: api.EventCursor{Number: after.Number + int64(one)}}, f.down
}

func (f *fakeChanges) Wait() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.changed
}

// watchWorld is a world with watch-lists.
func watchWorld(tb testing.TB) (*world, *fakeChanges) {
	changes := newChanges()
	return newWorld(tb, func(o *Options) { o.Changes = changes }), changes
}

// listen opens a subscription of 2026-07-28 in the background.
func (w *world) listen(ctx context.Context, uris string, header ...string) (answer func() *httptest.ResponseRecorder) {
	done := make(chan *httptest.ResponseRecorder, 1)
	header = append([]string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen"}, header...)
	message := rpc(1, "subscriptions/listen", `{"notifications":{"toolsListChanged":true,"resourceSubscriptions":[`+
		uris+`]},`+modernMeta+`}`)
	go func() { done <- w.sendCtx(ctx, "POST", message, header...) }()
	return func() *httptest.ResponseRecorder { return <-done }
}

// subscription returns a message that subscribes or unsubscribes a session.
func subscription(id int, method, uri string) string {
	return rpc(id, "resources/"+method, fmt.Sprintf(`{"uri":%q}`, uri))
}

func (all *Subscribers) count() int {
	all.mu.Lock()
	defer all.mu.Unlock()
	return len(all.sessions)
}

func updates(text, uri string) int {
	return strings.Count(text, fmt.Sprintf(`"method":"notifications/resources/updated","params":{"uri":%q}`, uri))
}

func TestListening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, changes := watchWorld(t)
		changes.happens("pro", example) // before the client listens
		ctx, hangUp := context.WithCancel(t.Context())
		uris := fmt.Sprintf(`"company://%d","watchlist://default","caen://6210"`, example)
		answer := w.listen(ctx, uris, "Authorization", goodKey)
		synctest.Wait()
		for range 3 {
			changes.happens("pro", example)
			changes.happens("pro", slow)
			changes.happens("many", broken)
			changes.tell() // a burst of events is sent as one notification
		}

		time.Sleep(20 * time.Minute)
		changes.happens("pro", slow)
		changes.tell()
		time.Sleep(updatePause)
		hangUp()

		text := answer().Body.String()
		ack := fmt.Sprintf(`"method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"notifications":{"resourceSubscriptions":["company://%d","watchlist://default"]}}`, example)
		if !strings.Contains(text, ack) {
			t.Errorf("the acknowledgement is not in %s", text)
		}

		company := strings.Count(text, fmt.Sprintf(`"uri":"company://%d"`, example))
		list := strings.Count(text, `"uri":"watchlist://default"`)
		if company != 1 || list != 2 || strings.Count(text, `"io.modelcontextprotocol/subscriptionId":1`) != 5 {
			t.Errorf("%d times the company, %d times the list: %s", company, list, text)
		}
	})
}

func TestListeningEndsWithAResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := watchWorld(t)
		answer := w.listen(t.Context(), `"watchlist://default"`, "Authorization", goodKey)
		synctest.Wait()
		w.Close()
		text := answer().Body.String()
		if last := strings.LastIndex(text,
			"event: message"); !strings.Contains(text[last:], `"resultType":"complete"`) {
			t.Errorf("it ends with %s", text[last:])
		}
		if w.streams.Open() != 0 {
			t.Errorf("%d streams are counted as open", w.streams.Open())
		}
	})
}

func TestRevokedKeyIsNotNotified(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := watchWorld(t)
		var revoked atomic.Bool
		w.Gateway.Keys = fakeKeys{revoked: &revoked}
		answer := w.listen(t.Context(), `"watchlist://default"`, "Authorization", goodKey)
		synctest.Wait()
		revoked.Store(true)
		start := time.Now()
		answer()
		if took := time.Since(start); took != streamTime {
			t.Errorf("the stream ended after %s", took)
		}
	})
}

func TestUnsubscribableResources(t *testing.T) {
	many := make([]string, maxSubscriptions+1)
	for i := range many {
		many[i] = fmt.Sprintf(`"company://%d?%d"`, example, i)
	}

	for _, c := range []struct {
		name, uri, key, says string
		status               int
	}{
		{"without a key", "company://" + example.String(), "", "needs a key", 401},
		{"a company that is not watched", "company://" + broken.String(), goodKey, "call watch_company first", 403},
		{"no number", "company://abc", goodKey, "cui", 400},
		{"a watch-list of another account", "watchlist://" + suppliers, manyKey, "list_watchlists", 404},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, _ := watchWorld(t)
			var header []string
			if c.key != "" {
				header = []string{"Authorization", c.key}
			}

			session := w.newSession(t)
			legacy := read(t, w.send("POST", subscription(1, "subscribe", c.uri),
				append(header, sessionHeader, session)...))
			modern := read(t, w.listen(t.Context(), fmt.Sprintf("%q", c.uri), header...)())
			for era, r := range map[string]reply{"legacy": legacy, "modern": modern} {
				if r.Error == nil || !strings.Contains(r.Error.Message, c.says) || r.Error.Data.URI != c.uri ||
					readProblem(t, r.Error.Data.Problem).Status != c.status {
					t.Errorf("%s: %+v", era, r.Error)
				}
			}
		})
	}
}

func TestResourcesThatNeverChange(t *testing.T) {
	w, _ := watchWorld(t)
	for _, uri := range []string{"caen://6210", "other://x", ""} {
		for _, method := range []string{"subscribe", "unsubscribe"} {
			if r := read(t, w.send("POST", subscription(1, method, uri), sessionHeader, "s")); r.Error == nil ||
				r.Error.Code != -32602 {
				t.Errorf("%s %q: %+v", method, uri, r)
			}
		}
	}

	for name, with := range map[string]bool{"with watch-lists": true, "without": false} {
		w := newWorld(t)
		if with {
			w, _ = watchWorld(t)
		}

		answer := w.send("POST", begin).Body.String()
		if strings.Contains(answer, `"resources":{"subscribe":true}`) != with {
			t.Errorf("%s: %s", name, answer)
		}
	}
}

func TestSubscriptionsOfOneClientAreBounded(t *testing.T) {
	w, changes := watchWorld(t)
	s := &subscriptions{account: "pro"}
	for i := range maxSubscriptions {
		if err := s.add(t.Context(), changes, fmt.Sprint(i), topic{company: example}); err != nil {
			t.Fatal(err)
		}
	}

	if err := s.add(t.Context(), changes, "0", topic{company: example}); err != nil {
		t.Errorf("adding a resource that it already has: %v", err)
	}
	if err := s.add(t.Context(), changes, "x", topic{company: example}); err == nil ||
		!strings.Contains(err.Error(), "watchlist://{id}") {
		t.Errorf("one too many: %v", err)
	}

	changes.down = errors.New("the database is down")
	if r := read(t, w.listen(t.Context(), `"watchlist://default"`, "Authorization", goodKey)()); r.Error == nil ||
		readProblem(t, r.Error.Data.Problem).Status != 503 {
		t.Errorf("without a database: %+v", r.Error)
	}
}

func TestSubscribingInASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, changes := watchWorld(t)
		session := w.newSession(t)
		header := []string{"Authorization", goodKey, sessionHeader, session}
		uri := "company://" + example.String()
		act := func(method, uri string) {
			t.Helper()
			if r := read(t, w.send("POST", subscription(1, method, uri), header...)); r.Error != nil {
				t.Errorf("%s %s: %s", method, uri, r.Error.Message)
			}
		}
		happens := func() {
			changes.happens("pro", example)
			changes.tell()
			time.Sleep(2 * updatePause)
		}

		start := time.Now()
		if r := read(t, w.send("POST", subscription(1, "subscribe", uri), header...)); r.Error == nil ||
			!strings.Contains(r.Error.Message, "no open stream") || time.Since(start) != streamWait {
			t.Errorf("without a stream: %+v", r)
		}

		ctx, hangUp := context.WithCancel(t.Context())
		early := w.open(ctx, header...)
		stranger := w.open(ctx, "Authorization", manyKey, sessionHeader, session)
		act("subscribe", uri) // while the stream is being opened
		happens()
		second := w.open(ctx, header...)
		synctest.Wait()
		act("subscribe", "watchlist://default")
		happens()
		hangUp()
		if text := early().Body.String(); updates(text, uri) != 1 || updates(text, "watchlist://default") != 0 {
			t.Errorf("the first stream: %s", text)
		}
		if text := second().Body.String(); updates(text, uri) != 1 || updates(text, "watchlist://default") != 1 {
			t.Errorf("the second stream: %s", text)
		}
		if text := stranger().Body.String(); strings.Contains(text, "updated") {
			t.Errorf("another account: %s", text)
		}

		happens() // while the client reconnects
		ctx, hangUp = context.WithCancel(t.Context())
		third := w.open(ctx, header...)
		time.Sleep(2 * updatePause)
		act("unsubscribe", uri)
		happens()
		w.send("DELETE", "", header...)
		happens()
		hangUp()
		if text := third().Body.String(); updates(text, uri) != 1 || updates(text, "watchlist://default") != 2 {
			t.Errorf("after reconnecting: %s", text)
		}
		if n := w.Subscribers.count(); n != 0 {
			t.Errorf("%d sessions are kept after the end", n)
		}
	})
}

func TestSubscriptionsOfALostClientAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := watchWorld(t)
		header := []string{"Authorization", goodKey, sessionHeader, w.newSession(t)}
		ctx, hangUp := context.WithCancel(t.Context())
		answer := w.open(ctx, header...)
		w.send("POST", subscription(1, "subscribe", "watchlist://default"), header...)
		hangUp()
		answer()
		if w.Subscribers.count() != 1 {
			t.Error("a client that reconnects has lost its subscriptions")
		}

		time.Sleep(reconnectTime + time.Second)
		if w.Subscribers.count() != 0 {
			t.Error("the subscriptions are still in memory")
		}
	})
}

// asCaddy removes the read deadline when the body of a request ends, like Caddy.
func asCaddy(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = bodyOfCaddy{r.Body, http.NewResponseController(w)}
		h.ServeHTTP(w, r)
	})
}

type bodyOfCaddy struct {
	io.ReadCloser
	control *http.ResponseController
}

func (b bodyOfCaddy) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// A stream in response to a POST outlives the deadline for reading its body. The server detects the client's
// disconnection by reading, which a deadline would end.
func TestListeningOverHTTPGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, changes := watchWorld(t)
		near, far := net.Pipe()
		listener := pipe{connection: make(chan net.Conn, 1)}
		listener.connection <- far
		server := &http.Server{Handler: asCaddy(w)}
		go func() { _ = server.Serve(listener) }()
		defer func() { _, _ = server.Close(), near.Close() }()

		message := rpc(1, "subscriptions/listen", `{"notifications":{"resourceSubscriptions":["watchlist://default"]},`+
			modernMeta+`}`)
		go func() {
			_, _ = fmt.Fprintf(near, "POST /mcp HTTP/1.1\r\nHost: rodata.example\r\n"+
				"Content-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n"+
				"Mcp-Method: subscriptions/listen\r\nAuthorization: %s\r\nContent-Length: %d\r\n\r\n%s", goodKey,
				len(message), message)
		}()
		answer, err := http.ReadResponse(bufio.NewReader(near), nil)
		if err != nil {
			t.Fatal(err)
		}

		go func() {
			time.Sleep(4 * bodyTime)
			changes.happens("pro", example)
			changes.tell()
		}()
		lines := bufio.NewScanner(answer.Body)
		for lines.Scan() {
			if strings.Contains(lines.Text(), "notifications/resources/updated") {
				return
			}
		}

		t.Errorf("the stream ended: %v", lines.Err())
	})
}

// Subscriptions of the older and newer revisions work over a real connection, in real time.
func TestSubscribingOverHTTP(t *testing.T) {
	w, changes := watchWorld(t)
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	t.Cleanup(w.Close)
	session := w.newSession(t)
	uri := "company://" + example.String()

	modern := post(t, server.Client(), server.URL,
		rpc(1, "subscriptions/listen", fmt.Sprintf(`{"notifications":{"resourceSubscriptions":[%q]},%s}`, uri,
			modernMeta)),
		"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen", "Authorization", goodKey)
	r, _ := http.NewRequestWithContext(t.Context(), "GET", server.URL+Path, nil)
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Authorization", goodKey)
	r.Header.Set(sessionHeader, session)
	legacy, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = legacy.Body.Close() })
	answer := post(t, server.Client(), server.URL, subscription(1, "subscribe", uri), "Authorization", goodKey,
		sessionHeader, session)
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode != 200 ||
		string(text) != `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n" {
		t.Fatalf("%d %s", answer.StatusCode, text)
	}

	changes.happens("pro", example)
	changes.tell()
	for era, body := range map[string]io.Reader{"legacy": legacy.Body, "modern": modern.Body} {
		lines := bufio.NewScanner(body)
		for lines.Scan() && !strings.Contains(lines.Text(), "notifications/resources/updated") {
		}
		if !strings.Contains(lines.Text(), uri) {
			t.Errorf("%s: the stream ended with %q, %v", era, lines.Text(), lines.Err())
		}
	}
}

func TestReadingAWatchlist(t *testing.T) {
	w, _ := watchWorld(t)
	legacy, modern := w.readBoth("watchlist://default", "Authorization", goodKey)
	for era, answer := range map[string]*httptest.ResponseRecorder{"legacy": legacy, "modern": modern} {
		if contents := read(t, answer).Result.Contents; len(contents) != 1 ||
			contents[0].URI != "watchlist://default" || !strings.Contains(contents[0].Text, `"totalCount":`) {
			t.Errorf("%s: %s", era, answer.Body)
		}
	}

	legacy, _ = w.readBoth("watchlist://default")
	if r := read(t, legacy); r.Error == nil || readProblem(t, r.Error.Data.Problem).Status != 401 {
		t.Errorf("without a key: %s", legacy.Body)
	}
}
