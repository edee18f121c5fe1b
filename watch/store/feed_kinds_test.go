package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/testkit"
)

// fillFeed gives the account a two watch-lists and a number of events. The SQL expression kinds, over n, gives the set
// of kinds of the n-th event.
func fillFeed(t testing.TB, db *DB, events int, kinds string) {
	t.Helper()
	for _, statement := range []string{
		`INSERT INTO watchlists (ordinal, id, account, name, kinds, digest, every, feed_token, created_at)
			VALUES (1, 'wl_1', 'a', 'list', 1, 'none', 'day', '1', 0),
			(2, 'wl_2', 'a', 'list', 1, 'none', 'day', '2', 0)`,
		series(events, `INSERT INTO events (number, company, at, kinds, document)
			SELECT n, n, n, `+kinds+`, '{"type":"company.vat.cancelled","severity":"high","source":{"name":"anaf"}}'
			FROM series`),
		`INSERT INTO feed (number, list, account, company, kinds) SELECT number, 1, 'a', company, kinds FROM events`,
		`INSERT INTO feed (number, list, account, company, kinds) SELECT number, 2, 'a', company, kinds FROM events
			WHERE number % 3 = 0`,
		`INSERT INTO feed (number, list, account, company, kinds) SELECT number, 0, 'b', company, kinds FROM events
			WHERE number % 5 = 0`,
		fmt.Sprintf(`UPDATE watch_counters SET value = %d WHERE name = 'events'`, events),
	} {
		testkit.NoError(t, database.Exec(t.Context(), db.Writer, statement))
	}
}

// Pages by kind contain exactly the events of these kinds in the whole feed, for any size and starting point.
func TestFeedByKindIsExact(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		fillFeed(t, db, 600, "n * n % 61 + 1") // 31 sets of up to six kinds, more than one statement merges below
		sets := make(map[int64]monitoring.EventSet)
		for n := int64(1); n <= 600; n++ {
			sets[n] = monitoring.EventSet(n*n%61 + 1)
		}

		feeds := map[string]func(monitoring.EventCursor, monitoring.EventFilter, int) (monitoring.EventPage, error){
			"account": func(after monitoring.EventCursor, f monitoring.EventFilter, limit int) (monitoring.EventPage,
				error) {
				return db.Feed(ctx, "a", after, f, limit)
			},
			"watch-list": func(after monitoring.EventCursor, f monitoring.EventFilter, limit int) (monitoring.EventPage,
				error) {
				f.Watchlist = "wl_2"
				return db.Feed(ctx, "a", after, f, limit)
			},
			"all changes": func(after monitoring.EventCursor, f monitoring.EventFilter,
				limit int) (monitoring.EventPage, error) {
				return db.Changes(ctx, after, f, limit)
			},
		}

		for name, read := range feeds {
			whole, err := read(monitoring.EventCursor{}, monitoring.EventFilter{}, 2000)
			if err != nil || len(whole.Events) < 200 {
				t.Fatal(name, len(whole.Events), err)
			}

			for range 30 {
				wanted, limit := monitoring.EventSet(rand.IntN(63)+1), rand.IntN(50)+1
				// Each page runs a statement as long as the list of sets, so small pages start near the end.
				after := whole.Events[len(whole.Events)-1-rand.IntN(min(len(whole.Events), 10*limit))].Cursor
				var want, got []monitoring.EventCursor
				for i := range whole.Events {
					c := whole.Events[i].Cursor
					if sets[c.Number]&wanted != 0 &&
						(c.Number > after.Number || c.Number == after.Number && c.List > after.List) {
						want = append(want, c)
					}
				}

				for from, more := after, true; more; {
					page, err := read(from, monitoring.EventFilter{Kinds: wanted}, limit)
					if err != nil || len(page.Events) > limit || page.More && len(page.Events) < limit {
						t.Fatalf("%s: a page of %d events, more %t, %v", name, len(page.Events), page.More, err)
					}

					for i := range page.Events {
						got = append(got, page.Events[i].Cursor)
					}

					from, more = page.Next, page.More
				}

				if !slices.Equal(got, want) {
					t.Fatalf("%s: of the kinds %b after %+v in pages of %d: %d events, want %d", name, wanted, after,
						limit, len(got), len(want))
				}
			}
		}

		p, err := db.Feed(ctx, "b", monitoring.EventCursor{}, monitoring.EventFilter{Watchlist: "wl_1", Kinds: 63}, 10)
		if err != nil || len(p.Events) != 0 {
			t.Errorf("%d events of another account's watch-list were read, %v", len(p.Events), err)
		}
	})
}

// In a long feed with few events of a kind, a page of that kind is found by index alone.
func TestFeedByKindReadsFewRows(t *testing.T) {
	const events, rare = 20_000, 7
	forStores(t, func(t *testing.T, db *DB) {
		fillFeed(t, db, events, fmt.Sprintf("CASE WHEN n %% %d = 0 THEN 6 ELSE 1 << (n %% 2 * 3) END", events/rare))
		page, err := db.Feed(t.Context(), "a", monitoring.EventCursor{}, monitoring.EventFilter{Kinds: 2}, 5)
		if err != nil || len(page.Events) != 5 || !page.More {
			t.Fatalf("got %d events, more %t, %v", len(page.Events), page.More, err)
		}
		if sets, err := db.kindSets(t.Context(), "feed WHERE account = $1", 2, 0, "a"); err != nil ||
			!slices.Equal(sets, []int64{6}) {
			t.Errorf("the sets with the kind are %v, %v", sets, err)
		}

		ofSet := func(column string) func(int64) string {
			return func(set int64) string { return fmt.Sprintf(feedOfSet, column, set, 6) }
		}
		changes := func(set int64) string { return fmt.Sprintf(changesOfSet, set, 6) }
		for name, c := range map[string]struct {
			statement, index string
			args             []any
		}{
			"sets of an account": {fmt.Sprintf(setsOf, "feed WHERE account = $1", 2, 0), "feed_by_kind", []any{"a"}},
			"sets of a watch-list": {fmt.Sprintf(setsOf, "feed WHERE list = $1", 2, 0),
				"feed_of_list_by_kind", []any{1}},
			"sets of all changes": {fmt.Sprintf(setsOf, "events WHERE TRUE", 2, 0), "events_by_kind", nil},
			"page of an account": {union(feedOfSets, []int64{6, 8}, ofSet("account"), 6), "feed_by_kind",
				[]any{"a", 5, 1, events, "a"}},
			"page of a watch-list": {union(feedOfSets, []int64{6, 8}, ofSet("list"), 6), "feed_of_list_by_kind",
				[]any{1, 5, 1, events, "a"}},
			"page of all changes": {union(changesOfSets, []int64{6, 8}, changes, 6), "events_by_kind",
				[]any{5, events}},
			"page of a common kind": {union(feedOfSets, []int64{1}, ofSet("account"), 6), "feed_by_kind",
				[]any{"a", 5, 1, events, "a"}},
		} {
			if plan := explain(t, db, c.statement, c.args...); !strings.Contains(plan, c.index) || readsAll(plan) {
				t.Errorf("%s:\n%s", name, plan)
			}
		}
	})
}

// explain returns the plan of a statement, in the database's format.
func explain(t *testing.T, db *DB, statement string, args ...any) (plan string) {
	t.Helper()
	if db.lockLooked == selectLooked { // SQLite
		steps := testkit.Must(database.All[struct {
			ID, Parent, NotUsed int
			Detail              string
		}](t.Context(), db.Reader, "explaining", `EXPLAIN QUERY PLAN `+statement, args...))
		for _, step := range steps {
			plan += step.Detail + "\n"
		}

		return plan
	}

	testkit.NoError(t, database.Exec(t.Context(), db.Writer, `ANALYZE feed, events`))

	lines := testkit.Must(database.All[string](t.Context(), db.Reader, "explaining",
		`EXPLAIN `+statement, args...))
	return strings.Join(lines, "\n")
}

// readsAll reports whether a plan reads a table, or an account's part of it, from beginning to end.
func readsAll(plan string) bool {
	for _, sign := range []string{"SCAN f", "SCAN e", "SEARCH f USING PRIMARY KEY (account=? AND number>",
		"Seq Scan on feed", "Seq Scan on events"} {
		if strings.Contains(plan, sign) {
			return true
		}
	}

	return false
}
