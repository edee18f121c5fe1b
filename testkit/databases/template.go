package databases

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/postgres"
)

// Template is an empty store that tests copy. A process migrates it once for each kind of place, because migrations
// take most of the time of a short test.
type Template struct {
	file     func() ([]byte, error)
	database func() (string, error)
}

// NewTemplate returns the template of a store. Opening the store migrates it.
func NewTemplate[DB io.Closer](open func(ctx context.Context, place string) (DB, error)) Template {
	ctx := context.Background()
	return Template{
		file: sync.OnceValues(func() ([]byte, error) {
			folder, err := os.MkdirTemp("", "store-*")
			if err != nil {
				return nil, err
			}
			defer os.RemoveAll(folder)

			path := filepath.Join(folder, "store.db")
			if db, err := open(ctx, path); err != nil {
				return nil, err
			} else if err := db.Close(); err != nil { // writes the log back into the file
				return nil, err
			}
			return os.ReadFile(path)
		}),
		database: sync.OnceValues(func() (string, error) {
			return postgres.Template(ctx, func(url string) error {
				db, err := open(ctx, url)
				if err != nil {
					return err
				}
				return db.Close()
			})
		}),
	}
}

// Each runs a test once on an empty store in SQLite and once in PostgreSQL, or skips the latter if there is no server.
func (x Template) Each(t *testing.T, test func(t *testing.T, place string)) {
	t.Run("SQLite", func(t *testing.T) { test(t, x.File(t)) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, x.URL(t)) })
}

// File returns the path of an empty store in SQLite.
func (x Template) File(t testing.TB) string {
	t.Helper()
	content, err := x.file()
	path := filepath.Join(t.TempDir(), "store.db")
	testkit.NoError(t, errors.Join(err, os.WriteFile(path, content, 0o600)))
	return path
}

// URL returns the URL of an empty store in PostgreSQL, which is dropped after the test. The test is skipped if there is
// no server.
func (x Template) URL(t testing.TB) string {
	t.Helper()
	return postgres.Copy(t, x.database)
}
