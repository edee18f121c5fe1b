package store

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/watch"
)

var noon = time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)

// exec executes a statement.
func (d *DB) exec(t *testing.T, statement string, args ...any) {
	t.Helper()
	testkit.NoError(t, database.Exec(t.Context(), d.Writer, statement, args...))
}

// list adds a watch-list to an account.
func (d *DB) list(t *testing.T, ordinal int, id, account string) {
	t.Helper()
	d.exec(t, `INSERT INTO watchlists (ordinal, id, account, name, kinds, digest, every, feed_token, created_at)
		VALUES ($1, $2, $3, 'Suppliers', 1048575, 'none', 'day', $4, 0)`, ordinal, id, account, "wlf_"+id)
}

// webhook adds a webhook to an account, for some lists or for all.
func (d *DB) webhook(t *testing.T, id, account string, kinds monitoring.EventSet, lists ...string) {
	t.Helper()
	w := Webhook{ID: id, Account: account, URL: "https://receiver.example/" + id, Lists: lists, Kinds: kinds,
		Secrets: []byte("sealed"), CreatedAt: noon}
	testkit.NoError(t, d.AddWebhook(t.Context(), w, 20))
}

// event writes an event about a company for one list, like the fan-out.
func (d *DB) event(t *testing.T, list, company int64, account string, kind monitoring.EventKind, at time.Time) {
	t.Helper()
	err := d.Transact(t.Context(), func(tx *sql.Tx) error {
		return d.AddTo(t.Context(), tx, account, list, watch.Event{Company: ro.CUI(company), Type: kind, At: at})
	})
	testkit.NoError(t, err)
}

// queued returns the webhooks for which an event is queued.
func (d *DB) queued(t *testing.T, number int64) []string {
	t.Helper()
	return testkit.Must(database.All[string](t.Context(), d.Writer, "reading deliveries",
		`SELECT w.id FROM deliveries d JOIN webhooks w ON w.ordinal = d.webhook WHERE d.number = $1
			AND d.due_at IS NOT NULL ORDER BY w.id`, number))
}

func TestEventIsQueuedForItsSubscribers(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		db.list(t, 1, "wl_a", "ana")
		db.list(t, 2, "wl_b", "ana")
		db.webhook(t, "wh_all", "ana", monitoring.DefaultEvents)
		db.webhook(t, "wh_first", "ana", monitoring.DefaultEvents, "wl_a")
		db.webhook(t, "wh_names", "ana", monitoring.SetOf(monitoring.NameChanged))
		db.webhook(t, "wh_off", "ana", monitoring.DefaultEvents)
		db.webhook(t, "wh_other", "ion", monitoring.DefaultEvents)
		testkit.Must(db.ChangeWebhook(t.Context(), "ana", "wh_off", noon, func(w *Webhook) error {
			w.Disabled = "paused"
			return nil
		}))

		db.event(t, 1, 9900000010, "ana", monitoring.VATCancelled, noon)
		db.event(t, 2, 9900000010, "ana", monitoring.NameChanged, noon)
		for number, want := range map[int64][]string{1: {"wh_all", "wh_first"}, 2: {"wh_all", "wh_names"}} {
			if got := db.queued(t, number); !slices.Equal(got, want) {
				t.Errorf("event %d is queued for %v, want %v", number, got, want)
			}
		}
	})
}

func TestLaterEventWaitsForRetryOfEarlierOne(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		db.list(t, 1, "wl_a", "ana")
		db.webhook(t, "wh_a", "ana", monitoring.DefaultEvents)
		db.event(t, 1, 9900000010, "ana", monitoring.NameChanged, noon)
		db.exec(t, `UPDATE deliveries SET due_at = $1`, noon.Add(time.Hour).UnixMilli())
		db.event(t, 1, 9900000010, "ana", monitoring.NameChanged, noon)
		db.event(t, 1, 9900000028, "ana", monitoring.NameChanged, noon)

		due, err := database.All[time.Time](t.Context(), db.Writer, "reading deliveries",
			`SELECT due_at FROM deliveries ORDER BY number`)
		if want := []time.Time{noon.Add(time.Hour), noon.Add(time.Hour), noon}; err != nil ||
			!slices.EqualFunc(due, want, time.Time.Equal) {
			t.Errorf("the deliveries are due at %v, want %v; %v", due, want, err)
		}
	})
}

func TestWebhooksOfAnAccount(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		db.list(t, 1, "wl_a", "ana")
		db.list(t, 2, "wl_b", "ion")
		db.webhook(t, "wh_all", "ana", monitoring.DefaultEvents)
		db.webhook(t, "wh_list", "ana", monitoring.SetOf(monitoring.NameChanged), "wl_a")

		full := Webhook{ID: "wh_more", Account: "ana", Secrets: []byte{}}
		if err := db.AddWebhook(t.Context(), full, 2); !strings.Contains(fmt.Sprint(err), "has 2 webhooks") {
			t.Errorf("a third webhook where two are allowed: %v", err)
		}

		full.Lists = []string{"wl_b"}
		if err := db.AddWebhook(t.Context(), full, 20); !strings.Contains(fmt.Sprint(err), "ids of the account's") {
			t.Errorf("the list of another account: %v", err)
		}

		all, err := db.Webhooks(t.Context(), "ana")
		if err != nil || len(all) != 2 || all[0].Lists != nil || !slices.Equal(all[1].Lists, []string{"wl_a"}) ||
			all[1].Kinds != monitoring.SetOf(monitoring.NameChanged) || !all[1].CreatedAt.Equal(noon) {
			t.Errorf("the account has %+v, %v", all, err)
		}
		if _, err := db.Webhook(t.Context(), "ion", "wh_all"); !errors.Is(err, op.ErrUnknown) {
			t.Errorf("another account can read the webhook: %v", err)
		}

		// A webhook whose only watch-list is deleted does not become one for all lists.
		db.exec(t, `DELETE FROM watchlists WHERE id = 'wl_a'`)
		if w, err := db.Webhook(t.Context(), "ana", "wh_list"); err != nil || w.Lists == nil || len(w.Lists) != 0 {
			t.Errorf("without its list, the webhook is for %v, %v", w.Lists, err)
		}
	})
}

func TestDeletedWebhookLeavesNothing(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		db.list(t, 1, "wl_a", "ana")
		for _, id := range []string{"wh_a", "wh_b"} {
			db.webhook(t, id, "ana", monitoring.DefaultEvents, "wl_a")
		}

		db.event(t, 1, 9900000010, "ana", monitoring.NameChanged, noon)

		if err := db.DeleteWebhook(t.Context(), "ion", "wh_a"); !errors.Is(err, op.ErrUnknown) {
			t.Errorf("another account can delete the webhook: %v", err)
		}
		if err := db.DeleteWebhook(t.Context(), "ana", "wh_a"); err != nil ||
			!slices.Equal(db.queued(t, 1), []string{"wh_b"}) {
			t.Errorf("after the deletion of one: %v, %v", db.queued(t, 1), err)
		}
		testkit.NoError(t, db.DeleteWebhooks(t.Context(), "ana", noon))

		rows, err := database.One[int](t.Context(), db.Writer, "counting", nil,
			`SELECT (SELECT COUNT(*) FROM deliveries) + (SELECT COUNT(*) FROM webhook_lists) + (SELECT COUNT(*)
				FROM webhooks)`)
		if err != nil || rows != 0 {
			t.Errorf("%d rows are left, %v", rows, err)
		}
	})
}

// A webhook that loses its last watch-list is disabled, and waiting events of that list are not sent.
func TestDeletedWatchlistLeavesItsWebhooks(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		db.list(t, 1, "wl_a", "ana")
		db.list(t, 2, "wl_b", "ana")
		db.webhook(t, "wh_all", "ana", monitoring.DefaultEvents)
		db.webhook(t, "wh_both", "ana", monitoring.DefaultEvents, "wl_a", "wl_b")
		db.webhook(t, "wh_one", "ana", monitoring.DefaultEvents, "wl_a")
		db.webhook(t, "wh_paused", "ana", monitoring.DefaultEvents, "wl_a")
		testkit.Must(db.ChangeWebhook(t.Context(), "ana", "wh_paused", noon, func(w *Webhook) error {
			w.Disabled = "paused"
			return nil
		}))

		for range 2 {
			db.event(t, 1, 9900000010, "ana", monitoring.NameChanged, noon)
		}

		db.event(t, 2, 9900000010, "ana", monitoring.NameChanged, noon)
		db.exec(t, `UPDATE deliveries SET due_at = NULL, delivered = 1 WHERE number = 1`)

		testkit.NoError(t, db.DeleteList(t.Context(), "ana", "wl_a"))

		for id, want := range map[string]string{"wh_all": "", "wh_both": "", "wh_one": NoWatchlist,
			"wh_paused": "paused"} {
			if w, err := db.Webhook(t.Context(), "ana", id); err != nil || w.Disabled != want {
				t.Errorf("%s is disabled for %q, want %q; %v", id, w.Disabled, want, err)
			}
		}

		if disabled, err := db.Unnotified(t.Context()); err != nil || len(disabled) != 1 || disabled[0].ID != "wh_one" {
			t.Errorf("the webhooks to report: %+v, %v", disabled, err)
		}
		if deleted, kept := db.queued(t, 2), db.queued(t, 3); len(deleted) != 0 ||
			!slices.Equal(kept, []string{"wh_all", "wh_both"}) {
			t.Errorf("waiting are %v of the deleted list and %v of the other", deleted, kept)
		}

		settled, err := database.One[int](t.Context(), db.Writer, "counting", nil,
			`SELECT COUNT(*) FROM deliveries WHERE number = 1`)
		if err != nil || settled != 3 {
			t.Errorf("%d settled deliveries are left, %v", settled, err)
		}
	})
}
