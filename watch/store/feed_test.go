package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/watch"
)

const acme, other ro.CUI = 9900000010, 9900000028

// event returns a cancelled VAT registration of a company.
func event(c ro.CUI) watch.Event {
	return watch.Event{
		Company: c, At: time.Date(2026, 11, 20, 4, 12, 9, 0, time.UTC), Type: monitoring.VATCancelled,
		Severity: monitoring.High,
		Name:     new("EXEMPLU SRL"), Source: monitoring.EventSource{Name: "anaf"},
		Changes: []monitoring.EventChange{{Type: monitoring.VATCancelled, Field: "vatPayer",
			Before: &company.FactValue{Bool: new(true)},
			After:  &company.FactValue{Bool: new(false)}}},
	}
}

// list creates a watch-list of an account with companies.
func list(t testing.TB, db *DB, account string, ordinal int64, kinds monitoring.EventSet, companies ...ro.CUI) {
	t.Helper()
	ctx := t.Context()
	id := fmt.Sprintf("wl_%d", ordinal)
	err := database.Exec(ctx, db.Writer,
		`INSERT INTO watchlists (ordinal, id, account, name, kinds, digest, every, feed_token, created_at)
		VALUES ($1, $2, $3, 'list', $4, 'none', 'day', $5, 0)`, ordinal, id, account, int64(kinds), "wlf"+id)
	for _, c := range companies {
		if err == nil {
			err = database.Exec(ctx, db.Writer, `INSERT INTO watched (list, company, account, reference, added_at)
				VALUES ($1, $2, $3, $4, 0)`, ordinal, int64(c), account, fmt.Sprintf("%s of %s", c, id))
		}
	}

	testkit.NoError(t, err)
}

func addEvents(t testing.TB, db *DB, events ...watch.Event) {
	t.Helper()
	testkit.NoError(t, db.Transact(t.Context(), func(tx *sql.Tx) error {
		return db.Add(t.Context(), tx, events...)
	}))
}

func TestFeed(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		list(t, db, "a", 1, monitoring.DefaultEvents, acme, other)
		list(t, db, "a", 2, monitoring.DefaultEvents, acme)
		list(t, db, "b", 3, monitoring.DefaultEvents, acme)
		list(t, db, "c", 4, monitoring.SetOf(monitoring.NameChanged), acme)
		addEvents(t, db, event(acme), event(other), event(9900000036))
		addEvents(t, db, event(acme))

		read := func(account string, after monitoring.EventCursor, f monitoring.EventFilter, limit int) (got []string,
			p monitoring.EventPage) {
			t.Helper()
			p = testkit.Must(db.Feed(ctx, account, after, f, limit))
			for _, e := range p.Events {
				got = append(got, fmt.Sprintf("%d %s %s", e.Cursor.Number, *e.Data.Watchlist, *e.Data.Reference))
				if e.ID != watch.EventID(e.Cursor.Number, e.Cursor.List) ||
					e.Cursor.Feed != monitoring.FeedOf(account) ||
					e.Type != monitoring.VATCancelled || len(e.Data.Changes) != 1 ||
					*e.Data.Changes[0].Before.Bool != true {
					t.Errorf("read %+v", e)
				}
			}

			return got, p
		}
		want := []string{
			"1 wl_1 9900000010 of wl_1", "1 wl_2 9900000010 of wl_2", "2 wl_1 9900000028 of wl_1",
			"4 wl_1 9900000010 of wl_1", "4 wl_2 9900000010 of wl_2",
		}

		for limit := 1; limit <= len(want)+1; limit++ { // a page may end between two lists of an event
			var got []string
			var after monitoring.EventCursor
			for more := true; more; {
				some, p := read("a", after, monitoring.EventFilter{}, limit)
				got, after, more = append(got, some...), p.Next, p.More
			}
			if !slices.Equal(got, want) {
				t.Errorf("pages of %d: %q", limit, got)
			}
			if now, err := db.Now(ctx, "a"); err != nil || after != now {
				t.Errorf("the feed ends at %+v, but Now returns %+v, %v", after, now, err)
			}
		}

		for name, c := range map[string]struct {
			account string
			filter  monitoring.EventFilter
			want    []string
		}{
			"watch-list":            {"a", monitoring.EventFilter{Watchlist: "wl_2"}, []string{want[1], want[4]}},
			"watch-list of another": {"a", monitoring.EventFilter{Watchlist: "wl_3"}, nil},
			"company":               {"a", monitoring.EventFilter{Company: other}, want[2:3]},
			"kind": {"a", monitoring.EventFilter{Kinds: monitoring.SetOf(monitoring.VATCancelled,
				monitoring.SeatChanged)},
				want},
			"other kind": {"a", monitoring.EventFilter{Kinds: monitoring.SetOf(monitoring.SeatChanged)}, nil},
			"other account": {"b", monitoring.EventFilter{},
				[]string{"1 wl_3 9900000010 of wl_3", "4 wl_3 9900000010 of wl_3"}},
			"kinds that nobody wants": {"c", monitoring.EventFilter{}, nil},
			"nobody":                  {"d", monitoring.EventFilter{}, nil},
		} {
			if got, _ := read(c.account, monitoring.EventCursor{}, c.filter, 10); !slices.Equal(got, c.want) {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
		}

		unpaid := watch.Event{At: time.Now(), Type: monitoring.WatchlistUnpaid, Severity: monitoring.Low,
			Source: monitoring.EventSource{Name: "rodata"}}
		testkit.NoError(t, db.Transact(ctx, func(tx *sql.Tx) error { return db.AddTo(ctx, tx, "b", 3, unpaid) }))

		p, err := db.Feed(ctx, "b", monitoring.EventCursor{Number: 4, List: 3}, monitoring.EventFilter{}, 10)
		if err != nil || len(p.Events) != 1 || p.Events[0].Type != monitoring.WatchlistUnpaid ||
			p.Events[0].Data.TaxID != nil {
			t.Errorf("got %+v, %v", p, err)
		}
	})
}

// The feed of all changes includes unwatched companies, but not the private events of an account.
func TestFeedOfAllChanges(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		list(t, db, "a", 1, monitoring.DefaultEvents, acme)
		addEvents(t, db, event(acme), event(other))
		unpaid := watch.Event{At: time.Now(), Type: monitoring.WatchlistUnpaid, Severity: monitoring.Low}
		testkit.NoError(t, db.Transact(ctx, func(tx *sql.Tx) error { return db.AddTo(ctx, tx, "a", 1, unpaid) }))

		addEvents(t, db, event(acme))

		var numbers []int64
		var after monitoring.EventCursor
		for more := true; more; {
			p := testkit.Must(db.Changes(ctx, after, monitoring.EventFilter{}, 1))
			for _, e := range p.Events {
				numbers = append(numbers, e.Cursor.Number)
				if e.Data.Watchlist != nil || e.Data.Reference != nil {
					t.Errorf("the feed of all names a watch-list: %+v", e)
				}
			}

			after, more = p.Next, p.More
		}

		if want := []int64{1, 2, 4}; !slices.Equal(numbers, want) {
			t.Errorf("read %d, want %d", numbers, want)
		}
		if p, err := db.Changes(ctx, monitoring.EventCursor{}, monitoring.EventFilter{Company: other}, 5); err != nil ||
			len(p.Events) != 1 {
			t.Errorf("events of one company: %+v, %v", p, err)
		}
	})
}

// A reader whose cursor has expired gets an error, and can continue with the oldest remaining event.
func TestExpiredCursor(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		list(t, db, "a", 1, monitoring.DefaultEvents, acme)
		list(t, db, "quiet", 2, monitoring.DefaultEvents, other)
		addEvents(t, db, event(other), event(acme), event(acme))
		deleteEvents := func(limit int) {
			t.Helper()
			testkit.Must(db.DeleteEvents(context.WithoutCancel(ctx), event(acme).At.Add(time.Hour), limit))
		}
		deleteEvents(2)

		p, err := db.Feed(ctx, "a", monitoring.EventCursor{Number: 1, List: 1}, monitoring.EventFilter{}, 10)
		if err != nil || !p.Expired || len(p.Events) != 0 {
			t.Errorf("got %+v, %v", p, err)
		}

		for _, after := range []monitoring.EventCursor{p.Oldest, {}, {Number: 2, List: 1}} {
			if p, err := db.Feed(ctx, "a", after, monitoring.EventFilter{}, 10); err != nil || p.Expired ||
				len(p.Events) != 1 {
				t.Errorf("after %+v: %+v, %v", after, p, err)
			}
		}

		deleteEvents(10)
		for _, c := range []struct {
			account string
			after   int64
			expired bool
		}{{"quiet", 1, false}, {"nobody", 1, false}, {"", 2, true}, {"", 3, false}, {"a", 2, true}} {
			read := func(ctx context.Context, after monitoring.EventCursor, f monitoring.EventFilter,
				limit int) (monitoring.EventPage, error) {
				return db.Feed(ctx, c.account, after, f, limit)
			}
			if c.account == "" {
				read = db.Changes
			}
			if p, err := read(ctx, monitoring.EventCursor{Number: c.after, List: 9}, monitoring.EventFilter{},
				10); err != nil ||
				p.Expired != c.expired {
				t.Errorf("%q after %d: %+v, %v", c.account, c.after, p, err)
			}
		}

		if p, err := db.Feed(context.WithoutCancel(ctx), "a", monitoring.EventCursor{Number: 2, List: 1},
			monitoring.EventFilter{},
			10); err != nil || !p.Expired {
			t.Errorf("after deleting all events: %+v, %v", p, err)
		}
		if p, err := db.Feed(ctx, "a", p.Next, monitoring.EventFilter{}, 10); err != nil || !p.Expired {
			t.Errorf("after the former end: %+v, %v", p, err)
		}
		if p, err := db.Feed(ctx, "a", monitoring.EventCursor{Number: 3, List: 1}, monitoring.EventFilter{},
			10); err != nil ||
			p.Expired {
			t.Errorf("at the end: %+v, %v", p, err)
		}
	})
}

func TestRetention(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		list(t, db, "a", 1, monitoring.DefaultEvents, acme)
		for _, hours := range []time.Duration{0, 1, 2, 30, 3, 40} { // the fifth was observed before the fourth
			e := event(acme)
			e.At = morning.Add(hours * time.Hour)
			addEvents(t, db, e)
		}

		deleted := func(limit int) int64 {
			t.Helper()
			return testkit.Must(db.DeleteEvents(ctx, morning.Add(24*time.Hour), limit))
		}
		for i, want := range []int64{2, 1, 0} {
			if got := deleted(2); got != want {
				t.Errorf("step %d deleted %d, want %d", i, got, want)
			}
		}

		p, err := db.Feed(ctx, "a", monitoring.EventCursor{}, monitoring.EventFilter{}, 10)
		if err != nil || len(p.Events) != 3 || p.Events[0].Cursor.Number != 4 {
			t.Errorf("%+v are left, %v", p, err)
		}

		if n, err := db.DeleteEvents(ctx, morning.Add(100*time.Hour), 100); err != nil || n != 3 {
			t.Errorf("deleted %d, %v, want all", n, err)
		}
		if n, err := db.DeleteEvents(ctx, morning.Add(100*time.Hour), 100); err != nil || n != 0 {
			t.Errorf("deleted %d events from an empty store, %v", n, err)
		}

		var rows int
		if err := db.Reader.QueryRowContext(ctx, `SELECT COUNT(*) FROM feed`).Scan(&rows); err != nil || rows != 0 {
			t.Errorf("%d rows of feeds are left, %v", rows, err)
		}
	})
}
