package fleettest

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/api/monitoring"
	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/databases"
	"github.com/rodata/rodata/watch"
	watchstore "github.com/rodata/rodata/watch/store"
)

// testWebhooksTakenOver checks that an event is delivered within a minute, whichever edge is killed. It kills edges
// until it has killed the one that delivers, so the test waits for a lease of 30 seconds to expire.
func testWebhooksTakenOver(t *testing.T, f *fleet) {
	if !long() {
		t.Skip("waits for a lease to end; RODATA_TEST_FLEET=long")
	}

	events, owner := f.eventWriter(t), f.owner(t)
	var received deliveries
	receiver := httptest.NewServer(&received)
	t.Cleanup(receiver.Close)
	f.createWebhook(t, owner, receiver.URL)

	n := 0
	delivered := func() time.Duration {
		n++
		id := events.write(t, owner.account, ro.CUI(9900000000+n))
		return testkit.Until(t, "the event is delivered", func() bool { return received.has(id) })
	}
	t.Logf("with all edges, an event is delivered after %s", delivered().Round(time.Millisecond))
	first := events.leader(t)
	for i, e := range f.edges {
		e.Kill()
		t.Logf("after the kill of edge %d, an event is delivered after %s", i, delivered().Round(time.Millisecond))
		e.start(t)
		if events.leader(t) != first {
			return
		}
	}

	t.Error("no edge has taken over from another")
}

// owner opens an account with a key.
func (f *fleet) owner(t *testing.T) *payer {
	t.Helper()
	db, err := store.Open(t.Context(), f.postgres.url(f.postgres.address))
	testkit.NoError(t, err)
	defer db.Close()

	l := &load{fleet: f, keys: account.NewDirectory(db, []byte(secret), account.DefaultPrefix)}
	return l.open(t, db, "boundless")
}

// createWebhook sends the events of an account to a URL.
func (f *fleet) createWebhook(t *testing.T, owner *payer, url string) {
	t.Helper()
	body, err := json.Marshal(map[string]string{"url": url})
	testkit.NoError(t, err)

	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.edges[0].url+"/v1/webhooks",
		bytes.NewReader(body))
	testkit.NoError(t, err)

	r.Header.Set("Authorization", "Bearer "+owner.key)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	testkit.NoError(t, err)

	res.Body.Close()
	if res.StatusCode != http.StatusCreated {
		t.Fatalf("creating a webhook: got %d", res.StatusCode)
	}
}

// deliveries are the ids of the events that a receiver got.
type deliveries struct {
	mu  sync.Mutex
	ids map[string]bool
}

func (d *deliveries) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ids == nil {
		d.ids = make(map[string]bool)
	}

	d.ids[r.Header.Get("webhook-id")] = true
}

func (d *deliveries) has(id string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ids[id]
}

// eventWriter writes events into the fleet's store, like an edge.
type eventWriter struct{ db *watchstore.DB }

func (f *fleet) eventWriter(t *testing.T) eventWriter {
	t.Helper()
	observations := databases.Open(t, f.postgres.url(f.postgres.address), historystore.Open)
	db, err := watchstore.Open(t.Context(), observations)
	testkit.NoError(t, err)

	return eventWriter{db}
}

// write creates an event for an account, and returns its id.
func (w eventWriter) write(t *testing.T, account string, company ro.CUI) string {
	t.Helper()
	err := w.db.Transact(t.Context(), func(tx *sql.Tx) error {
		return w.db.AddTo(t.Context(), tx, account, 0, watch.Event{
			Company: company, At: time.Now(), Type: monitoring.VATCancelled, Severity: monitoring.High,
			Source: monitoring.EventSource{Name: "anaf"},
		})
	})
	testkit.NoError(t, err)

	number, err := w.db.Latest(t.Context())
	testkit.NoError(t, err)

	return watch.EventID(number, 0)
}

// leader returns the holder of the lease for delivering webhooks.
func (w eventWriter) leader(t *testing.T) (holder int64) {
	t.Helper()
	err := w.db.Reader.QueryRowContext(t.Context(),
		`SELECT holder FROM watch_leases WHERE name = 'webhooks'`).Scan(&holder)
	testkit.NoError(t, err)

	return holder
}
