package store

import (
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/databases"
)

var pepper = []byte("a pepper for tests")

// forStores runs a test on an empty store of every kind.
func forStores(t *testing.T, test func(t *testing.T, db *DB)) {
	forPlaces(t, func(t *testing.T, open func() *DB) { test(t, open()) })
}

// forPlaces runs a test for every kind of store. The function open opens the same store each time, for the duration of
// the test.
func forPlaces(t *testing.T, test func(t *testing.T, open func() *DB)) {
	migrated.Each(t, func(t *testing.T, place string) { test(t, func() *DB { return open(t, place) }) })
}

var migrated = databases.NewTemplate(Open)

// open opens the store in a place for the duration of the test.
func open(t testing.TB, place string) *DB {
	t.Helper()
	return databases.Open(t, place, Open)
}

// issue creates account acc-1 with a key, and returns its secret.
func issue(t testing.TB, db *DB, d *account.Directory, k account.Key) string {
	t.Helper()
	secret := account.NewSecret(account.DefaultPrefix)
	k.Account = "acc-1"
	k.Prefix, k.Last4 = account.Ends(secret)
	testkit.NoError(t, db.CreateAccount(t.Context(),
		account.Account{ID: k.Account, Plan: "starter", CreatedAt: time.Now()}))
	testkit.NoError(t, db.CreateKey(t.Context(), k, d.Hash(secret)))

	return secret
}

// execute runs a statement.
func execute(t testing.TB, db *DB, statement string) {
	t.Helper()
	testkit.NoError(t, testkit.Err(db.Writer.ExecContext(t.Context(), statement)))
}

// texts returns the results of a query with one column.
func texts(t *testing.T, db *DB, query string, args ...any) []string {
	t.Helper()
	return testkit.Must(database.All[string](t.Context(), db.Reader, "asking", query, args...))
}
