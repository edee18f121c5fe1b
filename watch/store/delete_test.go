package store

import (
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
)

// fill gives a watch-list more companies and feed rows, and its account more payments, than one transaction deletes.
func fill(t *testing.T, db *DB, account string, list int64) {
	t.Helper()
	const many = 2*database.DeleteBatch + 1
	numbers := `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ` + fmt.Sprint(many) + `) `
	for _, statement := range []string{
		`INSERT INTO watched (list, company, account, added_at) ` + numbers +
			fmt.Sprintf(`SELECT %d, i, '%s', 0 FROM n`, list, account),
		`INSERT INTO paid (account, company, month) ` + numbers + fmt.Sprintf(`SELECT '%s', i, 202611 FROM n`, account),
		`INSERT INTO events (number, company, at, kinds, document) ` + numbers + `SELECT i, i, 0, 1, '{}' FROM n`,
		`INSERT INTO feed (number, list, account, company, kinds) ` + numbers +
			fmt.Sprintf(`SELECT i, %d, '%s', i, 1 FROM n`, list, account),
		fmt.Sprintf(`UPDATE watch_counters SET value = %d WHERE name = 'events'`, many),
	} {
		if err := database.Exec(t.Context(), db.Writer, statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// left counts the rows of each table.
func left(t *testing.T, db *DB) string {
	t.Helper()
	var counts []string
	for _, table := range []string{"watchlists", "watched", "feed", "paid"} {
		n := testkit.Must(database.One[int](t.Context(), db.Reader, "counting", nil,
			`SELECT COUNT(*) FROM `+table))
		counts = append(counts, fmt.Sprint(table, " ", n))
	}

	return strings.Join(counts, ", ")
}

func TestLargeListsAreDeletedInPieces(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		fill(t, db, "a", added(t, db, "a", "large").Ordinal)
		testkit.NoError(t, db.DeleteList(ctx, "a", "wl_large"))
		if got := left(t, db); got != "watchlists 0, watched 0, feed 0, paid 2001" {
			t.Errorf("%s are left", got)
		}
		if err := db.ForgetPaid(ctx, 202612); err != nil || left(t, db) != "watchlists 0, watched 0, feed 0, paid 0" {
			t.Errorf("%s are left, %v", left(t, db), err)
		}
	})
}

func TestListBeingDeletedIsNotFound(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		l := added(t, db, "a", "large")
		fill(t, db, "a", l.Ordinal)
		if err := database.Exec(ctx, db.Writer, hide+`ordinal = $1`, l.Ordinal); err != nil { // then the process dies
			t.Fatal(err)
		}

		if lists, err := db.Lists(ctx, "a"); err != nil || len(lists) != 0 {
			t.Errorf("the account still has %+v, %v", lists, err)
		}
		if _, err := db.ListOfFeed(ctx, "wlf_large"); !errors.Is(err, op.ErrUnknown) {
			t.Errorf("by its token: %v", err)
		}
		if _, err := db.Watch(ctx, l, monitoring.WatchOrder{Companies: []monitoring.WatchedReference{{Company: acme}}},
			10_000,
			time.Now()); !errors.Is(err, op.ErrUnknown) {
			t.Errorf("watching: %v", err)
		}
		if page, err := db.Feed(ctx, "a", monitoring.EventCursor{}, monitoring.EventFilter{}, 10); err != nil ||
			len(page.Events) != 0 {
			t.Errorf("the feed still has %+v, %v", page.Events, err)
		}
		if due, err := db.Unpaid(ctx, []ro.CUI{1}, 202612); err != nil || len(due) != 0 {
			t.Errorf("the deleted list is still to be paid: %v, %v", due, err)
		}

		addEvents(t, db, event(1))
		if got := left(t, db); got != "watchlists 1, watched 2001, feed 2001, paid 2001" {
			t.Errorf("after an event there are %s", got)
		}

		if err := db.FinishDeleting(ctx); err != nil || left(t, db) != "watchlists 0, watched 0, feed 0, paid 2001" {
			t.Errorf("%s are left, %v", left(t, db), err)
		}
	})
}

func TestNothingIsLeftOfAClosedAccount(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		l, of := added(t, db, "a", "Suppliers of Ana"), added(t, db, "b", "kept")
		fill(t, db, "a", l.Ordinal)
		one := monitoring.WatchOrder{Companies: []monitoring.WatchedReference{{Company: acme}}}
		testkit.Must(db.Watch(ctx, of, one, 100, time.Now()))
		pay(t, db, "b", 202611, acme)
		addEvents(t, db, event(acme))
		if events, err := db.SetUnpaid(ctx, "a", 202612, noon); err != nil || events != 1 {
			t.Fatalf("%d events, %v", events, err)
		}
		if err := db.DeleteAccount(ctx, "a"); err != nil || left(t, db) != "watchlists 1, watched 1, feed 1, paid 1" {
			t.Errorf("%s are left, %v", left(t, db), err)
		}
		if accounts, err := db.Accounts(ctx, "", 10); err != nil || !slices.Equal(accounts, []string{"b"}) {
			t.Errorf("accounts %s, %v", accounts, err)
		}

		named, err := database.All[string](ctx, db.Reader, "reading",
			`SELECT document FROM events WHERE document LIKE '%Suppliers of Ana%'`)
		if err != nil || len(named) != 0 {
			t.Errorf("events still name the watch-list: %s, %v", named, err)
		}

		// A transaction that began earlier may still write to the account's feed.
		testkit.NoError(t, database.Exec(ctx, db.Writer,
			`INSERT INTO feed (number, list, account, kinds) VALUES (1, 0, 'a', 1), (2, 0, 'a', 1),
				(1, 0, 'c', 1)`))

		for after, want := range map[string][]string{"": {"a", "b", "c"}, "a": {"b", "c"}} {
			if accounts, err := db.Accounts(ctx, after, 10); err != nil || !slices.Equal(accounts, want) {
				t.Errorf("accounts after %q are %q, %v", after, accounts, err)
			}
		}
	})
}
