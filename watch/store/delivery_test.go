package store

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/watch"
)

// due returns the numbers of the events that are due for a webhook.
func (d *DB) due(t *testing.T, id string, now time.Time) (numbers []int64) {
	t.Helper()
	w := testkit.Must(d.Webhook(t.Context(), "ana", id))
	all := testkit.Must(d.DueDeliveries(t.Context(), &w, now, 100))
	for i := range all {
		numbers = append(numbers, all[i].Number)
	}

	return numbers
}

// tried records an attempt at a delivery of webhook 1.
func (d *DB) tried(t *testing.T, number, company int64, due time.Time, a Attempt, changed ...Webhook) {
	t.Helper()
	v := Delivery{Webhook: 1, Number: number, List: 1, Company: company, Tries: 1, DueAt: due, Attempt: a}
	testkit.NoError(t, d.Settle(t.Context(), []Delivery{v}, changed))
}

func TestDeliveriesOfACompanyAreDueInOrder(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		db.list(t, 1, "wl_a", "ana")
		db.webhook(t, "wh_a", "ana", monitoring.DefaultEvents)
		db.event(t, 1, 9900000010, "ana", monitoring.NameChanged, noon)
		db.event(t, 1, 9900000028, "ana", monitoring.NameChanged, noon)
		db.event(t, 1, 9900000010, "ana", monitoring.NameChanged, noon)
		if got := db.due(t, "wh_a", noon); !slices.Equal(got, []int64{1, 2}) {
			t.Errorf("first, %v are due", got)
		}

		later := noon.Add(time.Hour)
		db.tried(t, 1, 9900000010, later,
			Attempt{At: noon, Status: 500, Failure: "it answered 500", Duration: time.Second})
		db.tried(t, 2, 9900000028, time.Time{}, Attempt{At: noon, Delivered: true, Status: 204})
		if got := db.due(t, "wh_a", noon.Add(time.Minute)); got != nil {
			t.Errorf("while the first waits, %v are due", got)
		}
		if next, err := db.NextDelivery(t.Context(), noon); err != nil || !next.Equal(later) {
			t.Errorf("the next is due at %v, %v", next, err)
		}
		if hooks, err := db.DueWebhooks(t.Context(), later); err != nil || len(hooks) != 1 || hooks[0].ID != "wh_a" {
			t.Errorf("webhooks that are due: %v, %v", hooks, err)
		}
		if got := db.due(t, "wh_a", later); !slices.Equal(got, []int64{1}) {
			t.Errorf("an hour later, %v are due", got)
		}

		db.tried(t, 1, 9900000010, time.Time{}, Attempt{At: later, Delivered: true, Status: 200})
		if got := db.due(t, "wh_a", later); !slices.Equal(got, []int64{3}) {
			t.Errorf("after the first, %v are due", got)
		}
	})
}

func TestDeliveriesAreListed(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		db.list(t, 1, "wl_a", "ana")
		db.webhook(t, "wh_a", "ana", monitoring.DefaultEvents)
		for range 3 {
			db.event(t, 1, 9900000010, "ana", monitoring.NameChanged, noon)
		}

		db.tried(t, 1, 9900000010, time.Time{},
			Attempt{At: noon, Delivered: true, Status: 204, Duration: 7 * time.Millisecond})
		db.tried(t, 2, 9900000010, time.Time{}, Attempt{At: noon, Failure: "its name does not resolve"})

		w := testkit.Must(db.Webhook(t.Context(), "ana", "wh_a"))
		end := monitoring.EventCursor{Number: math.MaxInt64, List: math.MaxInt64}
		for state, want := range map[monitoring.DeliveryState][]int64{"": {3, 2, 1}, monitoring.Pending: {3},
			monitoring.Delivered: {1},
			monitoring.Failed:    {2}} {
			all, err := db.Deliveries(t.Context(), &w, end, state, 10)
			var got []int64
			for i := range all {
				got = append(got, all[i].Number)
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%q: %v, %v", state, got, err)
			}
		}

		page, err := db.Deliveries(t.Context(), &w, monitoring.EventCursor{Number: 2, List: 1}, "", 10)
		if err != nil || len(page) != 1 {
			t.Fatalf("before the second: %v, %v", page, err)
		}

		v := page[0]
		if v.Event.ID != watch.EventID(1, 1) || v.Event.Type != monitoring.NameChanged ||
			*v.Event.Data.Watchlist != "wl_a" ||
			v.Status != 204 ||
			v.Duration != 7*time.Millisecond || !v.Delivered || !v.DueAt.IsZero() || !v.CreatedAt.Equal(noon) ||
			v.Tries != 1 {
			t.Errorf("the first is %+v", v)
		}
	})
}

func TestRetryAndReplay(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		db.list(t, 1, "wl_a", "ana")
		db.webhook(t, "wh_a", "ana", monitoring.DefaultEvents)
		for range 3 {
			db.event(t, 1, 9900000010, "ana", monitoring.NameChanged, noon)
		}

		db.event(t, 1, 9900000010, "ana", monitoring.ContactChanged, noon) // not wanted by the webhook
		for number := range int64(3) {
			db.tried(t, number+1, 9900000010, time.Time{}, Attempt{At: noon, Delivered: true})
		}

		w := testkit.Must(db.Webhook(t.Context(), "ana", "wh_a"))
		if err := db.RetryDelivery(t.Context(), &w, 9, 1, noon); !errors.Is(err, monitoring.ErrNoDelivery) {
			t.Errorf("an event without a delivery: %v", err)
		}
		if err := db.RetryDelivery(t.Context(), &w, 3, 1, noon); err != nil ||
			!slices.Equal(db.due(t, "wh_a", noon), []int64{3}) {
			t.Errorf("after a retry, %v are due, %v", db.due(t, "wh_a", noon), err)
		}

		n, last, err := db.Replay(t.Context(), &w, monitoring.EventCursor{Number: 1, List: 1}, noon, 1)
		if err != nil || n != 1 || last.Number != 2 || last.List != 1 {
			t.Errorf("a replay of one: %d to %+v, %v", n, last, err)
		}
		if n, last, err = db.Replay(t.Context(), &w, last, noon, 10); err != nil || n != 1 || last.Number != 3 {
			t.Errorf("a replay of the rest: %d to %+v, %v", n, last, err)
		}
		if got := db.due(t, "wh_a", noon); !slices.Equal(got, []int64{2}) {
			t.Errorf("due in the company's order are %v", got)
		}
	})
}

func TestVerdictsOnWebhooks(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		db.list(t, 1, "wl_a", "ana")
		db.webhook(t, "wh_a", "ana", monitoring.DefaultEvents)
		db.event(t, 1, 9900000010, "ana", monitoring.NameChanged, noon)
		if b, err := db.Backlog(t.Context()); err != nil || !b.Oldest.Equal(noon) || b.Active != 1 || b.Disabled != 0 {
			t.Errorf("the backlog is %+v, %v", b, err)
		}

		later, url := noon.Add(time.Hour), "https://receiver.example/wh_a"
		db.tried(t, 1, 9900000010, later, Attempt{At: noon, Failure: "no"},
			Webhook{Ordinal: 1, URL: "https://before.example/", Disabled: "gone"})
		if w, err := db.Webhook(t.Context(), "ana", "wh_a"); err != nil || w.Disabled != "" {
			t.Errorf("an attempt at the previous URL disabled the webhook: %+v, %v", w, err)
		}

		db.tried(t, 1, 9900000010, later, Attempt{At: noon, Failure: "no"},
			Webhook{Ordinal: 1, URL: url, FailingSince: noon})
		if w, err := db.Webhook(t.Context(), "ana", "wh_a"); err != nil || !w.FailingSince.Equal(noon) {
			t.Errorf("a failure was not recorded: %+v, %v", w, err)
		}
		if b, err := db.Backlog(t.Context()); err != nil || !b.Oldest.IsZero() {
			t.Errorf("a failing endpoint counts in the backlog: %+v, %v", b, err)
		}

		db.tried(t, 1, 9900000010, later, Attempt{At: noon, Failure: "no"},
			Webhook{Ordinal: 1, URL: url, FailingSince: noon, Disabled: "failing"})
		if got := db.due(t, "wh_a", later); got != nil {
			t.Errorf("deliveries of a disabled webhook are due: %v", got)
		}
		if next, err := db.NextDelivery(t.Context(), noon); err != nil || !next.IsZero() {
			t.Errorf("the next delivery of a disabled webhook is due at %v, %v", next, err)
		}

		disabled, err := db.Unnotified(t.Context())
		if err != nil || len(disabled) != 1 || disabled[0].Disabled != "failing" {
			t.Fatalf("the webhooks to report: %+v, %v", disabled, err)
		}
		testkit.NoError(t, db.SetNotified(t.Context(), &disabled[0]))
		if disabled, err = db.Unnotified(t.Context()); err != nil || len(disabled) != 0 {
			t.Errorf("still to report after Told: %+v, %v", disabled, err)
		}

		// Once active again, it continues at once with the waiting deliveries.
		testkit.Must(db.ChangeWebhook(t.Context(), "ana", "wh_a", noon, func(w *Webhook) error {
			w.Disabled = ""
			return nil
		}))

		if got := db.due(t, "wh_a", noon); !slices.Equal(got, []int64{1}) {
			t.Errorf("active again, %v are due", got)
		}
		if err := db.ForgetDeliveries(t.Context(), noon.Add(time.Second)); err != nil ||
			db.due(t, "wh_a", later) != nil {
			t.Errorf("old deliveries are kept: %v", err)
		}
	})
}

// No statement reads all deliveries of a webhook with a long backlog.
func TestStatementsFindDeliveriesByCompany(t *testing.T) {
	db := openDB(t, filepath.Join(t.TempDir(), "history.db"))
	for name, c := range map[string]struct {
		statement string
		args      []any
	}{
		"due":      {selectDue, []any{"ana", 1, 2, 3}},
		"insert":   {insertDeliveries, []any{1, 2, 3}},
		"postpone": {postponeLater, []any{1, 2, 3}},
	} {
		plan := explain(t, db, c.statement, c.args...)
		if strings.HasPrefix(plan, "CO-ROUTINE d\n") {
			plan = strings.Replace(plan, "SCAN d\n", "", 1) // the few picked rows
		}
		if !strings.Contains(plan, "deliveries_in_order (webhook=? AND company=?") ||
			strings.Contains(plan, "SCAN") {
			t.Errorf("%s:\n%s", name, plan)
		}
	}
}
