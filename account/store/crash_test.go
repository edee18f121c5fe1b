package store

import (
	"sync"
	"testing"

	"github.com/rodata/rodata/account"
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
	before  = 200 // accounts created before each crash
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
		for _, id := range ids {
			if _, err := db.Account(t.Context(), id); err != nil {
				t.Fatalf("%s of %d accounts is lost: %v", id, len(ids), err)
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
				id := account.NewID()
				if err := db.CreateAccount(t.Context(), account.Account{ID: id, Plan: "free"}); err != nil {
					t.Error(err)
					return
				}

				databases.Acknowledge(id)
			}
		})
	}

	wg.Wait()
}
