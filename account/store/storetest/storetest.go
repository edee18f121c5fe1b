// Package storetest gives tests a store of accounts.
package storetest

import (
	"path/filepath"
	"testing"

	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/account/store/internal/postgrestest"
)

// Open opens an empty SQLite store for the length of the test.
func Open(t testing.TB) *store.DB {
	t.Helper()
	db, err := store.OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "accounts.db"))
	return opened(t, db, err)
}

// Each runs a test on an empty store of every kind; on PostgreSQL only when
// RODATA_TEST_POSTGRES names a server.
func Each(t *testing.T, test func(t *testing.T, db *store.DB)) {
	t.Run("SQLite", func(t *testing.T) { test(t, Open(t)) })
	t.Run("PostgreSQL", func(t *testing.T) {
		db, err := store.OpenPostgres(t.Context(), Postgres(t))
		test(t, opened(t, db, err))
	})
}

// Postgres is the URL of an empty PostgreSQL schema, which goes away with the test.
// The test is skipped unless RODATA_TEST_POSTGRES names a server.
func Postgres(t testing.TB) string {
	t.Helper()
	return postgrestest.URL(t)
}

func opened(t testing.TB, db *store.DB, err error) *store.DB {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})

	return db
}
