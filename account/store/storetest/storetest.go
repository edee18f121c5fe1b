// Package storetest gives tests a store of accounts.
package storetest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/internal/database/postgrestest"
)

// Open opens an empty SQLite store for the duration of the test. It does not sync to disk; tests of power loss open
// their own stores.
func Open(t testing.TB) *store.DB {
	t.Helper()
	file, err := migrated()
	if err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(t.TempDir(), "accounts.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}

	db, err := store.OpenSQLite(t.Context(), path)
	db = opened(t, db, err)
	if _, err := db.Writer.ExecContext(t.Context(), `PRAGMA synchronous = OFF`); err != nil {
		t.Fatal(err)
	}

	return db
}

// migrated is the file of an empty store; migrating one takes most of the time of a short test.
var migrated = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "storetest-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)

	path := filepath.Join(dir, "accounts.db")
	db, err := store.OpenSQLite(context.Background(), path)
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil { // writes the log back into the file
		return nil, err
	}

	return os.ReadFile(path)
})

// Each runs a test on an empty store of every kind; on PostgreSQL only when RODATA_TEST_POSTGRES names a server.
func Each(t *testing.T, test func(t *testing.T, db *store.DB)) {
	t.Run("SQLite", func(t *testing.T) { test(t, Open(t)) })
	t.Run("PostgreSQL", func(t *testing.T) {
		db, err := store.OpenPostgres(t.Context(), Postgres(t))
		test(t, opened(t, db, err))
	})
}

// Postgres returns the URL of an empty PostgreSQL schema, which is dropped after the test. The test is skipped unless
// RODATA_TEST_POSTGRES names a server.
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
