package database

import (
	"crypto/rand"
	"slices"
	"sync"
	"testing"

	"github.com/rodata/rodata/testkit/databases"
	"github.com/rodata/rodata/testkit/long"
)

// crashes returns the number of times that the process is killed.
func crashes(t *testing.T) int {
	t.Helper()
	return long.Length(t, 2, 5)
}

const (
	writers = 8
	before  = 200 // notes added before each crash
)

// Acknowledged writes survive a kill at any moment.
func TestCrashLong(t *testing.T) {
	if place, ok := databases.CrashPlace(); ok {
		writeUntilKilled(t, open(t, place))
		return
	}

	migrated.Each(t, func(t *testing.T, place string) {
		var ids []string
		for range crashes(t) {
			ids = append(ids, databases.Crash(t, place, before, 0)...)
		}

		db := open(t, place)
		kept := notes(t, db)
		for _, id := range ids {
			if !slices.Contains(kept, id) {
				t.Fatalf("%s of %d notes is lost", id, len(ids))
			}
		}

		if db.Path != "" {
			checkIntegrity(t, db)
		}
	})
}

func writeUntilKilled(t *testing.T, db *DB) {
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for {
				id := rand.Text()
				if err := note(t.Context(), db, id); err != nil {
					t.Error(err)
					return
				}

				databases.Acknowledge(id)
			}
		})
	}

	wg.Wait()
}
