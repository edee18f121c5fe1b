// Package accountstore gives tests a store of accounts.
package accountstore

import (
	"testing"

	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/testkit/databases"
)

// Open opens an empty SQLite store for the duration of the test. It does not sync to disk; tests of power loss open
// their own stores.
func Open(t testing.TB) *store.DB {
	t.Helper()
	db := databases.Open(t, migrated.File(t), store.Open)
	if _, err := db.Writer.ExecContext(t.Context(), `PRAGMA synchronous = OFF`); err != nil {
		t.Fatal(err)
	}

	return db
}

var migrated = databases.NewTemplate(store.Open)

// Each runs a test on an empty store of every kind; on PostgreSQL only when RODATA_TEST_POSTGRES names a server.
func Each(t *testing.T, test func(t *testing.T, db *store.DB)) {
	t.Run("SQLite", func(t *testing.T) { test(t, Open(t)) })
	t.Run("PostgreSQL", func(t *testing.T) {
		test(t, databases.Open(t, Postgres(t), store.Open))
	})
}

// Postgres returns the URL of an empty store in PostgreSQL, which is dropped after the test. The test is skipped unless
// RODATA_TEST_POSTGRES names a server.
func Postgres(t testing.TB) string {
	t.Helper()
	return migrated.URL(t)
}
