package store

import (
	"context"
	"testing"

	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/databases"
)

// migrated is a store with the tables of this package and those of observations.
var migrated = databases.NewTemplate(func(ctx context.Context, place string) (*historystore.DB, error) {
	observations, err := historystore.Open(ctx, place)
	if err == nil {
		_, err = Open(ctx, observations)
	}
	return observations, err
})

// forStores runs a test for every kind of database.
func forStores(t *testing.T, test func(t *testing.T, db *DB)) {
	migrated.Each(t, func(t *testing.T, place string) {
		test(t, openDB(t, place))
	})
}

// openDB opens the database at a path or URL for the duration of the test.
func openDB(t testing.TB, place string) *DB {
	t.Helper()
	return openIn(t, databases.Open(t, place, historystore.Open))
}

func openIn(t testing.TB, observations *historystore.DB) *DB {
	t.Helper()
	return testkit.Must(Open(t.Context(), observations))
}

func TestCompaniesBelongToAList(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		err := database.Exec(t.Context(), db.Writer,
			`INSERT INTO watched (list, company, account, added_at) VALUES (7, 1, 'a', 0)`)
		if err == nil {
			t.Error("a company was added to a list that does not exist")
		}
	})
}
