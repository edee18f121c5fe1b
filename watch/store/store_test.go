package store

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/internal/lease"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/databases"
)

// migrated is a store with the tables of this package and those of observations.
var migrated = databases.NewTemplate(migrating(historystore.OpenSQLite), migrating(historystore.OpenPostgres))

type opener = func(ctx context.Context, place string) (*historystore.DB, error)

func migrating(open opener) opener {
	return func(ctx context.Context, place string) (*historystore.DB, error) {
		observations, err := open(ctx, place)
		if err == nil {
			_, err = Open(ctx, observations)
		}
		return observations, err
	}
}

// forStores runs a test for every kind of database, with a function that opens the same one each time.
func forStores(t *testing.T, test func(t *testing.T, open func() *DB)) {
	migrated.Each(t, func(t *testing.T, place string) {
		test(t, func() *DB { return openDB(t, place) })
	})
}

// openDB opens the database at a path or URL for the duration of the test.
func openDB(t testing.TB, place string) *DB {
	t.Helper()
	return openIn(t, databases.Open(t, place, historystore.OpenSQLite, historystore.OpenPostgres))
}

func openIn(t testing.TB, observations *historystore.DB) *DB {
	t.Helper()
	db, err := Open(t.Context(), observations)
	testkit.NoError(t, err)

	return db
}

func TestTablesOfTheRoom(t *testing.T) {
	forStores(t, func(t *testing.T, open func() *DB) {
		db := open()
		var counters int
		if err := db.Reader.QueryRowContext(t.Context(),
			`SELECT COUNT(*) FROM watch_counters`).Scan(&counters); err != nil || counters != 3 {
			t.Errorf("%d counters, %v", counters, err)
		}

		err := database.Exec(t.Context(), db.Writer,
			`INSERT INTO watched (list, company, account, added_at) VALUES (7, 1, 'a', 0)`)
		if err == nil {
			t.Error("a company was added to a list that does not exist")
		}
	})
}

// Only one of two processes leads. A SQLite file has one owner, so the lease of an earlier owner does not delay the
// next.
func TestLeases(t *testing.T) {
	now := time.UnixMilli(1_800_000_000_000)
	take := func(t *testing.T, db *DB, want bool) {
		t.Helper()
		held, err := db.Leases().Take(t.Context(), "mirror", now, now.Add(lease.Duration))
		if held != want || err != nil {
			t.Errorf("%v, %v, want %v", held, err, want)
		}
	}

	t.Run("SQLite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "history.db")
		first, err := historystore.OpenSQLite(t.Context(), path)
		testkit.NoError(t, err)

		db, err := Open(t.Context(), first)
		testkit.NoError(t, err)

		take(t, db, true)
		testkit.NoError(t, first.Close())

		take(t, openDB(t, path), true)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		url := migrated.URL(t)
		one, other := openDB(t, url), openDB(t, url)
		take(t, one, true)
		take(t, other, false)
		if err := one.Leases().End(t.Context(), "mirror"); err != nil {
			t.Error(err)
		}

		take(t, other, true)
	})
}
