package store

import (
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/rodata/rodata/testkit/postgres"
)

func TestNewerSchemaIsRefused(t *testing.T) {
	const newer = `INSERT INTO ` + schemaTable + ` (version_id, is_applied) VALUES (99, `
	refused := func(t *testing.T, open func() (*DB, error), place string) {
		t.Helper()
		_, err := open()
		if err == nil {
			t.Fatal("the store was opened")
		}

		for _, part := range []string{place, "schema version is 99", "run the newer release"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q does not say %q", err, part)
			}
		}

		if _, again := open(); again == nil || again.Error() != err.Error() {
			t.Errorf("the refusal kept a lock: %v", again)
		}
	}
	t.Run("SQLite", func(t *testing.T) {
		path := t.TempDir() + "/accounts.db"
		db := open(t, path)
		execute(t, db, newer+`1)`)
		db.Close()
		refused(t, func() (*DB, error) { return OpenSQLite(t.Context(), path) }, path)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		url := postgres.URL(t)
		execute(t, open(t, url), newer+`TRUE)`)
		refused(t, func() (*DB, error) { return OpenPostgres(t.Context(), url) }, "database test_")
	})
}

// The migrations of a database are in the order of their versions, whichever folder they are in.
func TestMigrationsAreInOrder(t *testing.T) {
	folders := migrationFiles{
		fstest.MapFS{"0001_first.sql": {Data: []byte("1")}, "0004_common.sql": {Data: []byte("4")}},
		fstest.MapFS{"0002_one.sql": {Data: []byte("2")}, "0003_two.sql": {Data: []byte("3")}},
	}
	names, err := fs.Glob(folders, "*.sql")
	if want := []string{"0001_first.sql", "0002_one.sql", "0003_two.sql", "0004_common.sql"}; err != nil ||
		!slices.Equal(names, want) {
		t.Errorf("got %v, %v, want %v", names, err, want)
	}

	for i, name := range names {
		if content, err := fs.ReadFile(folders, name); err != nil || string(content) != strconv.Itoa(i+1) {
			t.Errorf("%s: %s, %v", name, content, err)
		}
	}

	if _, err := fs.ReadFile(folders, "0005_none.sql"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// Concurrently started processes migrate the tables once.
func TestSimultaneousStarts(t *testing.T) {
	url := postgres.URL(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			db, err := OpenPostgres(t.Context(), url)
			if err != nil {
				t.Error(err)
				return
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}

	wg.Wait()
}
