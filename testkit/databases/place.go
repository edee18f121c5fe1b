// Package databases runs tests on SQLite and on PostgreSQL, and kills test processes that write to them.
//
// A place is where a store keeps its data: the absolute path of a SQLite file, or the URL of an empty PostgreSQL
// database.
package databases

import (
	"context"
	"io"
	"path/filepath"
	"testing"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/postgres"
)

// Places runs a test on a new place of each kind. The SQLite file gets the given name; without a name, the place is a
// folder. The test on PostgreSQL is skipped if there is no server.
func Places(t *testing.T, file string, test func(t *testing.T, place string)) {
	t.Run("SQLite", func(t *testing.T) { test(t, filepath.Join(t.TempDir(), file)) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, postgres.URL(t)) })
}

// IsFile reports whether a place is a SQLite file.
func IsFile(place string) bool { return filepath.IsAbs(place) }

// Open opens a place with a function, and closes it after the test.
func Open[DB io.Closer](t testing.TB, place string, open func(ctx context.Context, place string) (DB, error)) DB {
	t.Helper()
	db, err := open(t.Context(), place)
	testkit.NoError(t, err)

	testkit.CloseAfter(t, db)
	return db
}
