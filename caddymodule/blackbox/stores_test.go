package blackbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	accounts "github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/history/store"
	jobs "github.com/rodata/rodata/jobs/store"
	"github.com/rodata/rodata/testkit"
	watches "github.com/rodata/rodata/watch/store"
)

// emptyStores are the files of a new gateway's stores. Creating them takes most of the time of a short test, so each
// gateway here starts with a copy. .ci/start and the tests of the stores check that migrations run at a start.
var emptyStores = sync.OnceValues(func() (files map[string][]byte, err error) {
	dir, err := os.MkdirTemp("", "rodata-stores")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)

	ctx := context.Background()
	a, err := accounts.Open(ctx, filepath.Join(dir, "accounts.db"))
	if err != nil {
		return nil, err
	}

	j, err := jobs.Open(ctx, filepath.Join(dir, "jobs.db"))
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}

	h, err := store.Open(ctx, filepath.Join(dir, "history.db"))
	if err != nil {
		return nil, errors.Join(err, a.Close(), j.Close())
	}

	_, err = watches.Open(ctx, h)
	if err := errors.Join(err, a.Close(), j.Close(), h.Close()); err != nil { // closing completes the files
		return nil, err
	}

	files = make(map[string][]byte)
	for _, name := range []string{"accounts.db", "jobs.db", "history.db"} {
		if files[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}

	return files, nil
})

// withEmptyStores gives a data directory empty stores.
func withEmptyStores(t *testing.T, dir string) {
	t.Helper()
	files, err := emptyStores()
	testkit.NoError(t, err)

	for name, content := range files {
		testkit.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
}
