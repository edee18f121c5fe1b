package webhook

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/client"
	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/databases"
	"github.com/rodata/rodata/testkit/long"
	"github.com/rodata/rodata/watch"
	"github.com/rodata/rodata/watch/store"
)

const ana = "ana"

// service is webhooks over an open store.
type service struct {
	*Webhooks
	db   *store.DB
	hub  *watch.Hub
	mu   sync.Mutex
	sent []mail.Message
	// logged is the operator's log.
	logged strings.Builder
}

// Write adds a line to the log.
func (s *service) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.logged.Write(line)
}

func newService(t testing.TB) *service {
	t.Helper()
	return prepared(t, filepath.Join(t.TempDir(), "history.db"))
}

// prepared opens a service with a watch-list in a new place.
func prepared(t testing.TB, place string) *service {
	t.Helper()
	s := openService(t, place)
	s.list(t, 1, "wl_a")
	return s
}

// openService opens a SQLite file, or the database of a URL, like a process of a fleet.
func openService(t testing.TB, place string) *service {
	t.Helper()
	observations := testkit.Must(historystore.Open(t.Context(), place))
	db := testkit.Must(store.Open(t.Context(), observations))
	s := &service{db: db, hub: watch.NewHub(db.Latest)}
	s.Webhooks = Open(Options{
		Store: db, Hub: s.hub, Secret: []byte("a secret of this test"), Endpoints: web.Endpoints{Private: true},
		MaxPerAccount: 20, Days: metering.NewDays(), Agent: "rodata/test",
		Owner: func(context.Context, string) (account.User, error) {
			return account.User{Email: "ana@example.ro"}, nil
		},
		Mail: func(_ context.Context, m mail.Message) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.sent = append(s.sent, m)
			return nil
		},
		Meter: func(string) {}, Logger: slog.New(slog.NewTextHandler(s, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	ctx, cancel := context.WithCancel(context.Background())
	var polling sync.WaitGroup
	polling.Go(func() { s.hub.Poll(ctx) })
	t.Cleanup(func() {
		cancel()
		polling.Wait()
		if err := errors.Join(s.Close(), observations.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *service) exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	testkit.Must(s.db.Writer.ExecContext(t.Context(), statement, args...))
}

// list adds a watch-list for Ana.
func (s *service) list(t testing.TB, ordinal int, id string) {
	s.exec(t, `INSERT INTO watchlists (ordinal, id, account, name, kinds, digest, every, feed_token, created_at)
		VALUES ($1, $2, $3, 'Suppliers', 1048575, 'none', 'day', $4, 0)`, ordinal, id, ana, "wlf_"+id)
}

// create creates a webhook, and returns it with its secret.
func (s *service) create(t testing.TB, url string) monitoring.NewWebhook {
	t.Helper()
	return testkit.Must(s.CreateWebhook(t.Context(), ana, monitoring.WebhookChange{URL: url}))
}

// happen writes events about companies, and wakes their followers.
func (s *service) happen(t testing.TB, companies ...ro.CUI) {
	t.Helper()
	err := s.db.Transact(t.Context(), func(tx *sql.Tx) error {
		for _, company := range companies {
			e := watch.Event{Company: company, At: time.Now(), Type: monitoring.VATCancelled, Severity: monitoring.High,
				Source:  monitoring.EventSource{Name: "anaf"},
				Changes: []monitoring.EventChange{{Type: monitoring.VATCancelled, Field: "vatPayer"}}}
			if err := s.db.AddTo(t.Context(), tx, ana, 1, e); err != nil {
				return err
			}
		}

		return nil
	})
	testkit.NoError(t, err)

	s.hub.Wake()
}

// deliveries lists the deliveries of a webhook, the newest first.
func (s *service) deliveries(t testing.TB, id string) []monitoring.Delivery {
	t.Helper()
	page := testkit.Must(s.Deliveries(t.Context(), ana, monitoring.WebhookID(id), nil, "", 100))
	return page.Items
}

// awaitState waits until the last deliveries of a webhook, the newest first, are in these states.
func (s *service) awaitState(t testing.TB, id string, states ...monitoring.DeliveryState) {
	t.Helper()
	testkit.Until(t, fmt.Sprintf("the deliveries are %s", states), func() bool {
		d := s.deliveries(t, id)
		return len(d) == len(states) && slices.EqualFunc(d, states, func(d monitoring.Delivery,
			want monitoring.DeliveryState) bool {
			return d.State == want && (d.Tries > 0 || want != monitoring.Pending)
		})
	})
}

// awaitMail waits for a mail to the owner of a webhook.
func (s *service) awaitMail(t testing.TB) mail.Message {
	t.Helper()
	var sent []mail.Message
	testkit.Until(t, "the owner is told", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		sent = s.sent
		return len(sent) == 1
	})
	return sent[0]
}

// request is a request that an endpoint received.
type request struct {
	header http.Header
	body   []byte
}

func (r *request) id() string { return r.header.Get("webhook-id") }

// receiver is an endpoint.
type receiver struct {
	*httptest.Server
	mu  sync.Mutex
	got []request
}

// newReceiver starts an endpoint that answers depending on the number of requests so far.
func newReceiver(t testing.TB, answer func(w http.ResponseWriter, r *http.Request, n int)) *receiver {
	e := new(receiver)
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e.mu.Lock()
		e.got = append(e.got, request{r.Header.Clone(), body})
		n := len(e.got)
		e.mu.Unlock()
		if answer != nil {
			answer(w, r, n)
		}
	}))
	t.Cleanup(e.Server.Close)
	return e
}

func (e *receiver) requests() []request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.got)
}

// The official library and the Go client verify requests, during a rotation with either secret.
func TestOfficialLibraryVerifiesDeliveries(t *testing.T) {
	s, endpoint := newService(t), newReceiver(t, nil)
	hook := s.create(t, endpoint.URL+"/hook")
	s.happen(t, 9900000010)
	testkit.Until(t, "the event is delivered", func() bool { return len(endpoint.requests()) == 1 })
	rotated, err := s.RotateWebhookSecret(t.Context(), ana, monitoring.WebhookID(hook.ID))
	if err != nil || rotated.Secret == hook.Secret || time.Until(rotated.OldSecretUntil) < 23*time.Hour {
		t.Fatalf("rotation: %+v, %v", rotated, err)
	}

	s.happen(t, 9900000010)
	testkit.Until(t, "the next event is delivered", func() bool { return len(endpoint.requests()) == 2 })

	got := endpoint.requests()
	for i, secrets := range [][]string{{hook.Secret}, {hook.Secret, rotated.Secret}} {
		for _, secret := range secrets {
			verifier := testkit.Must(standardwebhooks.NewWebhook(secret))
			if err := verifier.Verify(got[i].body, got[i].header); err != nil {
				t.Errorf("request %d with a secret that signs: %v", i, err)
			}
			if err := verifier.Verify(append(got[i].body, ' '), got[i].header); err == nil {
				t.Error("a changed body passes verification")
			}

			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", bytes.NewReader(got[i].body))
			r.Header = got[i].header
			event, err := testkit.Must(client.NewVerifier(secret)).Event(r)
			if err != nil || event.ID != got[i].id() || *event.Data.TaxID != 9900000010 ||
				event.Data.Changes[0].Field != "vatPayer" {
				t.Errorf("the Go client reads %+v, %v", event, err)
			}
		}
	}

	if other, _ := standardwebhooks.NewWebhook(rotated.Secret); other.Verify(got[0].body, got[0].header) == nil {
		t.Error("the new secret verifies a request from before the rotation")
	}

	var e monitoring.Event
	if err := json.Unmarshal(got[0].body, &e); err != nil || e.ID != got[0].id() || e.Type != monitoring.VATCancelled ||
		*e.Data.TaxID != 9900000010 || *e.Data.Watchlist != "wl_a" {
		t.Errorf("got the body %s, %v", got[0].body, err)
	}
	if h := got[0].header; h.Get("Content-Type") != "application/json" || h.Get("User-Agent") != "rodata/test" ||
		strings.Contains(e.ID, ".") {
		t.Errorf("got the headers %v", h)
	}
}

// The time to send a backlog grows in proportion to its size, even if the database has no statistics yet.
func TestBacklogIsSentInLinearTimeLong(t *testing.T) {
	databases.Places(t, "history.db", func(t *testing.T, place string) {
		s, endpoint := prepared(t, place), newReceiver(t, nil)
		hook := s.create(t, endpoint.URL)
		events := long.Length(t, 300, 2_000)

		companies := make([]ro.CUI, 0, events)
		for i := range ro.CUI(events) {
			companies = append(companies, 9900000010+i%100)
		}

		s.happen(t, companies...)
		began := time.Now()
		testkit.Until(t, "everything is sent", func() bool { return len(endpoint.requests()) >= events })
		testkit.Until(t, "everything is recorded", func() bool {
			return s.deliveries(t, hook.ID)[0].State == monitoring.Delivered
		})
		t.Logf("%d events of 100 companies in %s", events, time.Since(began))
	})
}

func TestFailedDeliveryIsRetriedWithSameID(t *testing.T) {
	databases.Places(t, "history.db", func(t *testing.T, place string) {
		s := prepared(t, place)
		endpoint := newReceiver(t, func(w http.ResponseWriter, _ *http.Request, n int) {
			if n == 1 {
				http.Error(w, "not\nnow", http.StatusInternalServerError)
			}
		})
		hook := s.create(t, endpoint.URL)
		s.happen(t, 9900000010)
		s.awaitState(t, hook.ID, monitoring.Pending)
		d := s.deliveries(t, hook.ID)[0]
		if wait := d.NextTryAt.Sub(*d.LastTryAt); d.State != monitoring.Pending || *d.LastStatus != 500 ||
			*d.Failure != "it answered 500: not now" || wait < 5*time.Second || wait > 6*time.Second {
			t.Errorf("after a failure: %+v, again in %s", d, wait)
		}
		if w, err := s.Webhook(t.Context(), ana, monitoring.WebhookID(hook.ID)); err != nil || w.FailingSince == nil {
			t.Errorf("the webhook is not marked as failing: %+v, %v", w, err)
		}

		testkit.NoError(t, s.RetryDelivery(t.Context(), ana, monitoring.WebhookID(hook.ID),
			monitoring.EventID(d.Event)))

		s.awaitState(t, hook.ID, monitoring.Delivered)
		if got := endpoint.requests(); len(got) != 2 || got[0].id() != got[1].id() || got[0].id() != d.Event {
			t.Errorf("got %d requests", len(got))
		}
		if w, err := s.Webhook(t.Context(), ana, monitoring.WebhookID(hook.ID)); err != nil || w.FailingSince != nil {
			t.Errorf("the webhook is still marked as failing: %+v, %v", w, err)
		}
	})
}

// Events of a company arrive in order, even if the first one fails. Events of other companies do not wait for them.
func TestOrderOfCompanyDeliveries(t *testing.T) {
	s := newService(t)
	var mu sync.Mutex
	failing := true
	endpoint := newReceiver(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		mu.Lock()
		defer mu.Unlock()
		if failing && r.Header.Get("webhook-id") == watch.EventID(1, 1) {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	hook := s.create(t, endpoint.URL)
	s.happen(t, 9900000010, 9900000010, 9900000028)
	testkit.Until(t, "the other company's event is delivered", func() bool {
		return len(s.deliveries(t, hook.ID)) == 3 && s.deliveries(t, hook.ID)[0].State == monitoring.Delivered &&
			s.deliveries(t, hook.ID)[2].Tries == 1
	})
	if d := s.deliveries(t, hook.ID); d[1].Tries != 0 || !d[1].NextTryAt.Equal(*d[2].NextTryAt) {
		t.Errorf("the later event does not wait: %+v", d[1])
	}

	mu.Lock()
	failing = false
	mu.Unlock()
	testkit.NoError(t, s.RetryDelivery(t.Context(), ana, monitoring.WebhookID(hook.ID),
		monitoring.EventID(watch.EventID(1, 1))))

	s.awaitState(t, hook.ID, monitoring.Delivered, monitoring.Delivered, monitoring.Delivered)
	got := endpoint.requests()
	if a, b := got[len(got)-2].id(), got[len(got)-1].id(); a != watch.EventID(1, 1) || b != watch.EventID(2, 1) {
		t.Errorf("the events arrive as %s and %s", a, b)
	}
}

// An endpoint that does not answer does not delay the others.
func TestSlowEndpointDelaysNoOther(t *testing.T) {
	s, held := newService(t), make(chan struct{})
	slow := newReceiver(t, func(_ http.ResponseWriter, r *http.Request, _ int) {
		select {
		case <-held:
		case <-r.Context().Done():
		}
	})
	defer close(held)
	quick := newReceiver(t, nil)
	s.create(t, slow.URL)
	hook := s.create(t, quick.URL)
	var companies []ro.CUI
	for i := range ro.CUI(200) {
		companies = append(companies, 9900000010+i)
	}

	s.happen(t, companies...)
	testkit.Until(t, "all are delivered to the quick one", func() bool { return len(quick.requests()) == 200 })
	if n := len(slow.requests()); n > initialInFlight {
		t.Errorf("the slow endpoint gets %d requests at once", n)
	}

	testkit.Until(t, "all are recorded", func() bool {
		d, err := s.Deliveries(t.Context(), ana, monitoring.WebhookID(hook.ID), nil, monitoring.Pending, 1)
		return err == nil && len(d.Items) == 0
	})
}

func TestGoneDisables(t *testing.T) {
	s := newService(t)
	endpoint := newReceiver(t, func(w http.ResponseWriter, _ *http.Request, _ int) { w.WriteHeader(http.StatusGone) })
	hook := s.create(t, endpoint.URL+"/a-secret-path")
	s.happen(t, 9900000010)
	m := s.awaitMail(t)
	w, err := s.Webhook(t.Context(), ana, monitoring.WebhookID(hook.ID))
	if err != nil || w.State != monitoring.WebhookDisabled || *w.Reason != "gone" {
		t.Errorf("after a 410: %+v, %v", w, err)
	}
	if m.To != "ana@example.ro" || !strings.Contains(m.Text, "dezactivat") ||
		!strings.Contains(m.Text, "was disabled") || strings.Contains(m.Text, "a-secret-path") {
		t.Errorf("the mail is %+v", m)
	}
	if err := s.RetryDelivery(t.Context(), ana, monitoring.WebhookID(hook.ID),
		monitoring.EventID(watch.EventID(1, 1))); !errors.Is(err, monitoring.ErrWebhookDisabled) {
		t.Errorf("a retry of a disabled webhook: %v", err)
	}
}

// A webhook is disabled after three days without a success, and continues when its owner enables it.
func TestDaysOfFailureDisable(t *testing.T) {
	s := newService(t)
	endpoint := newReceiver(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		if n == 1 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	hook := s.create(t, endpoint.URL)
	s.exec(t, `UPDATE webhooks SET failing_since = $1`, time.Now().Add(-disableAfter-time.Minute).UnixMilli())
	s.happen(t, 9900000010)
	s.awaitMail(t)
	id := monitoring.WebhookID(hook.ID)
	if w, err := s.Webhook(t.Context(), ana, id); err != nil || *w.Reason != "failing" {
		t.Errorf("after three days: %+v, %v", w, err)
	}

	s.happen(t, 9900000028) // missed while disabled
	if w, err := s.ChangeWebhook(t.Context(), ana, id,
		monitoring.WebhookChange{State: monitoring.WebhookActive}); err != nil ||
		w.State != monitoring.WebhookActive || w.FailingSince != nil {
		t.Fatalf("activated: %+v, %v", w, err)
	}

	s.awaitState(t, hook.ID, monitoring.Delivered)
	replay, err := s.Replay(t.Context(), ana, id, monitoring.EventCursor{Feed: monitoring.FeedOf(ana), Number: 1,
		List: 1})
	if err != nil || replay.Queued != 1 || replay.HasMore || replay.NextCursor.Number != 2 {
		t.Fatalf("the replay: %+v, %v", replay, err)
	}

	s.awaitState(t, hook.ID, monitoring.Delivered, monitoring.Delivered)
}

// One call to replay makes many requests, so it needs an endpoint that has accepted an event, and is limited by day.
func TestReplaysAreBounded(t *testing.T) {
	s := newService(t)
	endpoint := newReceiver(t, func(http.ResponseWriter, *http.Request, int) {})
	hook := s.create(t, endpoint.URL)
	id := monitoring.WebhookID(hook.ID)
	replay := func() (monitoring.WebhookReplay, error) {
		return s.Replay(t.Context(), ana, id, monitoring.EventCursor{Feed: monitoring.FeedOf(ana)})
	}
	test := func() {
		t.Helper()
		if answer, err := s.TestWebhook(t.Context(), ana, id); err != nil || !answer.Delivered {
			t.Fatalf("the test event: %+v, %v", answer, err)
		}
	}

	if _, err := replay(); !errors.Is(err, monitoring.ErrWebhookUntried) {
		t.Errorf("before an event is accepted: %v", err)
	}

	s.happen(t, 9900000010)
	s.awaitState(t, hook.ID, monitoring.Delivered)
	if got, err := replay(); err != nil || got.Queued != 1 {
		t.Errorf("after one is accepted: %+v, %v", got, err)
	}

	other := newReceiver(t, func(http.ResponseWriter, *http.Request, int) {})
	testkit.Must(s.ChangeWebhook(t.Context(), ana, id, monitoring.WebhookChange{URL: other.URL}))
	if _, err := replay(); !errors.Is(err, monitoring.ErrWebhookUntried) {
		t.Errorf("at another URL: %v", err)
	}

	test()
	if got, err := replay(); err != nil || got.Queued != 1 {
		t.Errorf("after a test event: %+v, %v", got, err)
	}

	s.o.Days.Take(t.Context(), metering.BucketID{Account: "replays " + ana}, maxReplayed-2, maxReplayed)
	full := (*problem.Problem)(nil)
	if _, err := replay(); !errors.As(err, &full) || full.Kind != problem.RateLimited || full.RetryAfter <= 0 {
		t.Errorf("after the day's maximum: %v", err)
	}
	if _, err := s.Replay(t.Context(), "ion", id, monitoring.EventCursor{}); !errors.Is(err, op.ErrUnknown) {
		t.Errorf("another account: %v", err)
	}
}

func TestThrottlingEndpointIsPaused(t *testing.T) {
	s := newService(t)
	endpoint := newReceiver(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	hook := s.create(t, endpoint.URL)
	s.happen(t, 9900000010)
	s.awaitState(t, hook.ID, monitoring.Pending)
	if d := s.deliveries(t, hook.ID)[0]; d.NextTryAt.Sub(*d.LastTryAt) < time.Hour {
		t.Errorf("the next attempt is in %s", d.NextTryAt.Sub(*d.LastTryAt))
	}

	var companies []ro.CUI
	for i := range ro.CUI(20) {
		companies = append(companies, 9900000028+i)
	}

	s.happen(t, companies...)
	if test, err := s.TestWebhook(t.Context(), ana, monitoring.WebhookID(hook.ID)); err != nil || test.Delivered ||
		*test.Status != 429 {
		t.Errorf("the test: %+v, %v", test, err)
	}
	if n := len(endpoint.requests()); n != 2 { // the first event and the test
		t.Errorf("the endpoint gets %d requests during its pause", n)
	}
}

// An attempt follows no redirect. It checks the endpoint again, because its name may resolve differently than when it
// was accepted, and because the operator may have disallowed private endpoints since.
func TestAttemptsThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*service)
		status int
		says   string
		log    string
	}{
		"a redirect": {func(*service) {}, 307, "redirects are not followed", ""},
		"a name that resolves to loopback by now": {func(s *service) {
			s.sender = newSender(web.Endpoints{}, "rodata/test")
		}, 0, "its host does not resolve to a public address", "127.0.0.1, which is a loopback address"},
		"a private endpoint": {func(s *service) { s.o.Endpoints = web.Endpoints{} }, 0, "only https is called", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, elsewhere := newService(t), newReceiver(t, nil)
			endpoint := newReceiver(t, func(w http.ResponseWriter, r *http.Request, _ int) {
				http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
			})
			hook := s.create(t, endpoint.URL)
			c.change(s)
			test, err := s.TestWebhook(t.Context(), ana, monitoring.WebhookID(hook.ID))
			if err != nil || test.Delivered || !strings.Contains(*test.Failure, c.says) ||
				(c.status == 0) != (test.Status == nil) || c.status != 0 && *test.Status != c.status {
				t.Errorf("the test: %+v, %v", test, err)
			}
			if len(elsewhere.requests()) > 0 || c.status == 0 && len(endpoint.requests()) > 0 {
				t.Errorf("%d requests, %d elsewhere", len(endpoint.requests()), len(elsewhere.requests()))
			}

			s.mu.Lock()
			defer s.mu.Unlock()
			if log := s.logged.String(); !strings.Contains(log, c.log) {
				t.Errorf("the operator reads %q", log)
			}
		})
	}
}

func TestEndpointsThatAreRefused(t *testing.T) {
	s := newService(t)
	s.o.Endpoints = web.Endpoints{}
	for url, want := range map[string]string{
		"http://receiver.example/": "only https", "https://10.0.0.1/": "private", "https://localhost/": "localhost",
		"https://[::ffff:127.0.0.1]/": "loopback", "https://ana:pw@receiver.example/": "user or password",
	} {
		_, err := s.CreateWebhook(t.Context(), ana, monitoring.WebhookChange{URL: url})
		if !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// If an event is too large, its first changes are sent with the number of omitted ones.
func TestLargeEvents(t *testing.T) {
	e := monitoring.Event{ID: "evt_1", Type: monitoring.VATCancelled,
		Data: monitoring.EventData{Changes: slices.Repeat([]monitoring.EventChange{{Type: monitoring.VATCancelled,
			Field: strings.Repeat("x", 90)}}, 400)}}
	body, err := bodyOf(e)
	var m message
	if err := errors.Join(err, json.Unmarshal(body, &m)); err != nil || len(body) >= maxBody ||
		len(m.Data.Changes) == 0 ||
		len(m.Data.Changes)+m.Data.ChangesOmitted != 400 {
		t.Errorf("%d bytes with %d changes, without %d: %v", len(body), len(m.Data.Changes), m.Data.ChangesOmitted, err)
	}
}

func TestSecretsInTheStoreAreEncrypted(t *testing.T) {
	s := newService(t)
	hook := s.create(t, "http://127.0.0.1:1/")
	stored, err := s.db.Webhook(t.Context(), ana, hook.ID)
	if err != nil || len(stored.Secrets) < keyBytes {
		t.Fatal(err)
	}

	k, err := s.open(&stored)
	if err != nil || k.text() != hook.Secret || strings.Contains(string(stored.Secrets), string(k[0].Secret)) {
		t.Errorf("sealing and opening the secret: %v", err)
	}
}

func TestRotation(t *testing.T) {
	now := time.Now()
	k := newKeys()
	for range 10 {
		k = k.rotate(now)
	}
	if n := len(k.signingAt(now)); n != maxKeys {
		t.Errorf("%d secrets sign after ten rotations", n)
	}
	if n := len(k.signingAt(now.Add(overlap))); n != 1 || !k.signingAt(now.Add(overlap))[0].Until.IsZero() {
		t.Errorf("%d secrets sign a day later", n)
	}
}

// A webhook whose watch-list was deleted stays disabled until its owner chooses events. Sending the current settings
// back does not choose any.
func TestWebhookWithoutItsWatchlist(t *testing.T) {
	s := newService(t)
	s.list(t, 2, "wl_b")
	made := testkit.Must(s.CreateWebhook(t.Context(), ana,
		monitoring.WebhookChange{URL: "http://127.0.0.1:1/", Watchlists: []string{"wl_a"}}))
	id := monitoring.WebhookID(made.ID)
	testkit.NoError(t, s.db.DeleteList(t.Context(), ana, "wl_a"))

	s.Wake()
	if m := s.awaitMail(t).Text; !strings.Contains(m, "its watch-list was deleted") ||
		!strings.Contains(m, made.ID+` with {"watchlists"`) || strings.Contains(m, "%!") {
		t.Errorf("the mail says\n%s", m)
	}

	silent, err := s.Webhook(t.Context(), ana, id)
	if err != nil || silent.State != monitoring.WebhookDisabled || *silent.Reason != "no_watchlist" ||
		silent.Watchlists == nil || len(silent.Watchlists) != 0 {
		t.Errorf("the webhook is %+v, %v", silent, err)
	}

	again, err := s.ChangeWebhook(t.Context(), ana, id,
		monitoring.WebhookChange{Watchlists: silent.Watchlists, State: silent.State})
	if err != nil || again.Watchlists == nil || *again.Reason != "no_watchlist" {
		t.Errorf("with its settings sent back unchanged, the webhook is %+v, %v", again, err)
	}
	if _, err := s.ChangeWebhook(t.Context(), ana, id,
		monitoring.WebhookChange{State: monitoring.WebhookActive}); !errors.Is(err, monitoring.ErrNoWatchlist) {
		t.Errorf("the webhook was activated without a list: %v", err)
	}

	other, err := s.ChangeWebhook(t.Context(), ana, id, monitoring.WebhookChange{Watchlists: []string{"wl_b"}})
	if err != nil || other.State != monitoring.WebhookActive || !slices.Equal(other.Watchlists, []string{"wl_b"}) {
		t.Errorf("with another list, the webhook is %+v, %v", other, err)
	}

	testkit.NoError(t, s.db.DeleteList(t.Context(), ana, "wl_b"))

	all, err := s.ChangeWebhook(t.Context(), ana, id,
		monitoring.WebhookChange{Watchlists: []string{}, State: monitoring.WebhookActive})
	if err != nil || all.State != monitoring.WebhookActive || all.Watchlists != nil {
		t.Errorf("for all lists, the webhook is %+v, %v", all, err)
	}
}

// A delivery queued for a watch-list that has been deleted since is not sent.
func TestDeliveryOfDeletedWatchlist(t *testing.T) {
	s, endpoint := newService(t), newReceiver(t, nil)
	hook := s.create(t, endpoint.URL)
	s.exec(t, `DELETE FROM watchlists`)
	s.happen(t, 9900000010)
	s.awaitState(t, hook.ID, monitoring.Failed)
	if d := s.deliveries(t, hook.ID)[0]; *d.Failure != "its watch-list has been deleted" ||
		len(endpoint.requests()) != 0 {
		t.Errorf("%s; %d requests", *d.Failure, len(endpoint.requests()))
	}
}
