package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

// fakeChanges holds the watch-lists of two accounts, and their events.
type fakeChanges struct {
	monitoring.Events // nil
	mu                sync.Mutex
	events            map[string][]monitoring.Event
	changed           chan struct{}
	down              error
}

const suppliers = "wl_abcdefghijklmnopqrstuvwxyz"

func newChanges() *fakeChanges {
	return &fakeChanges{events: make(map[string][]monitoring.Event), changed: make(chan struct{})}
}

// happens adds an event about a company to an account's feed, without waking followers.
func (f *fakeChanges) happens(account string, company ro.CUI) {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := suppliers
	f.events[account] = append(f.events[account], monitoring.Event{Data: monitoring.EventData{TaxID: &company,
		Watchlist: &list}})
}

func (f *fakeChanges) tell() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.changed)
	f.changed = make(chan struct{})
}

func (f *fakeChanges) Watches(_ context.Context, account string, company ro.CUI) (bool, error) {
	return account == "pro" && (company == example || company == slow) || account == "many" && company == broken, f.down
}

func (f *fakeChanges) WatchlistID(_ context.Context, account, named string) (string, error) {
	if account == "pro" && (named == suppliers || named == "default") {
		return suppliers, f.down
	}
	return "", f.down
}

func (f *fakeChanges) Now(_ context.Context, account string) (monitoring.EventCursor, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return monitoring.EventCursor{Number: int64(len(f.events[account]))}, f.down
}

// Feed returns one event at a time.
func (f *fakeChanges) Feed(_ context.Context, account string, after monitoring.EventCursor, _ monitoring.EventFilter,
	_ int) (monitoring.EventPage, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	events := f.events[account][after.Number:]
	one := min(1, len(events))
	return monitoring.EventPage{Events: slices.Clone(events[:one]), More: len(events) > 1,
		Next: monitoring.EventCursor{Number: after.Number + int64(one)}}, f.down
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

		<-time.After(20 * time.Minute)
		changes.happens("pro", slow)
		changes.tell()
		<-time.After(updatePause)
		synctest.Wait()
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

// A stream that ends as soon as it begins is acknowledged, too.
func TestClosedHandlerAcknowledges(t *testing.T) {
	w, _ := watchWorld(t)
	w.Close()
	for range 300 {
		text := w.listen(t.Context(), `"watchlist://default"`, "Authorization", goodKey)().Body.String()
		if strings.Count(text, "event: message") != 2 ||
			!strings.Contains(text, `"notifications":{"resourceSubscriptions":["watchlist://default"]}`) {
			t.Fatal(text)
		}
	}
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
		testkit.Equal(t, time.Since(start), recheckTime, "the time until the stream ends")
	})
}

func TestSubscriptionsOfOneClientAreBounded(t *testing.T) {
	w, changes := watchWorld(t)
	same := strings.TrimSuffix(strings.Repeat(`"watchlist://default",`, maxSubscriptions+1), ",")
	if r := read(t, w.listen(t.Context(), same, "Authorization", goodKey)()); r.Error == nil ||
		!strings.Contains(r.Error.Message, "at most 100 subscriptions of a client; watchlist://{id}") {
		t.Errorf("the same resource too often: %+v", r.Error)
	}

	apart := strings.TrimSuffix(strings.Repeat(`"watchlist://none",`, maxSubscriptions), ",")
	code := 0
	for n := 0; code != 429 && n < protocolRate.Burst/5; n++ { // each costs more than ten tokens
		code = w.listen(t.Context(), apart, "Authorization", "Bearer rodata_live_free")().Code
	}
	testkit.Equal(t, code, 429)

	changes.down = errors.New("the database is down")
	if r := read(t, w.listen(t.Context(), `"watchlist://default"`, "Authorization", goodKey)()); r.Error == nil ||
		readProblem(t, r.Error.Data.Problem).Status != 503 {
		t.Errorf("without a database: %+v", r.Error)
	}
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
		near := serveConnection(t, asCaddy(w))
		message := rpc(1, "subscriptions/listen", `{"notifications":{"resourceSubscriptions":["watchlist://default"]},`+
			modernMeta+`}`)
		go func() {
			_, _ = fmt.Fprintf(near, "POST /mcp HTTP/1.1\r\nHost: rodata.example\r\n"+
				"Content-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n"+
				"Mcp-Method: subscriptions/listen\r\nAuthorization: %s\r\nContent-Length: %d\r\n\r\n%s", goodKey,
				len(message), message)
		}()
		answer := testkit.Must(http.ReadResponse(bufio.NewReader(near), nil))
		go func() {
			<-time.After(4 * bodyTime)
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
