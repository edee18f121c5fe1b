package store

import (
	"path/filepath"
	"testing"

	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/internal/database/postgrestest"
)

// forStores runs a test for every kind of database, with a function that opens the same one each time.
func forStores(t *testing.T, test func(t *testing.T, open func() *DB)) {
	t.Run("SQLite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "history.db")
		test(t, func() *DB {
			observations, err := historystore.OpenSQLite(t.Context(), path)
			return opened(t, observations, err)
		})
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		url := postgrestest.URL(t)
		test(t, func() *DB {
			observations, err := historystore.OpenPostgres(t.Context(), url)
			return opened(t, observations, err)
		})
	})
}

func opened(t testing.TB, observations *historystore.DB, err error) *DB {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := observations.Close(); err != nil {
			t.Error(err)
		}
	})

	db, err := Open(t.Context(), observations)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func TestTablesOfTheRoom(t *testing.T) {
	forStores(t, func(t *testing.T, open func() *DB) {
		db := open()
		var counters int
		if err := db.Reader.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM watch_counters`).Scan(&counters); err != nil || counters != 3 {
			t.Errorf("%d counters, %v", counters, err)
		}
		err := database.Exec(t.Context(), db.Writer, `INSERT INTO watched (list, company, account, added_at) VALUES (7, 1, 'a', 0)`)
		if err == nil {
			t.Error("a company is watched in a list that does not exist")
		}
	})
}
