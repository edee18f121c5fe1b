package store

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/testkit"
)

// Keys are deleted 30 days after they were revoked or expired, like all other obsolete rows.
func TestTidy(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		twoAccounts(t, db)
		now := time.Now()
		add(t, db, account.Key{ID: "live"}, account.Key{ID: "expired", ExpiresAt: now},
			account.Key{ID: "expired-parent", ExpiresAt: now}, account.Key{ID: "its-child", Parent: "expired-parent"},
			account.Key{ID: "revoked"}, account.Key{ID: "revoked-child", Parent: "revoked"},
			account.Key{ID: "revoked-grandchild", Parent: "revoked-child"})
		testkit.NoError(t, db.RevokeKey(ctx, "acc-1", "revoked", ""))

		allow(t, db, "expired-grant", "app") // its code expires within a minute
		u := account.User{ID: "user-1", Account: "acc-3", Email: "ana@exemplu.example"}
		testkit.NoError(t, db.CreateUser(ctx, u, "free"))
		session := account.Session{ID: "session", User: u.ID, ExpiresAt: now.Add(time.Hour)}
		testkit.NoError(t, db.CreateSession(ctx, session, []byte("session"), nil))

		testkit.NoError(t, db.CreateVerification(ctx,
			account.Verification{Purpose: "p", Subject: u.ID, ExpiresAt: now.Add(time.Hour)}, []byte("verification"),
			account.Bound{}))

		rows := func() []string {
			all := texts(t, db, `SELECT id FROM api_keys UNION ALL SELECT id FROM oauth_grants UNION ALL
				SELECT grant_id FROM oauth_tokens
				UNION ALL SELECT id FROM sessions UNION ALL SELECT purpose FROM verifications`)
			slices.Sort(all)
			return all
		}
		all := rows()
		for _, step := range []struct {
			days int
			want []string
		}{
			{0, all},
			{29, []string{"expired", "expired-grant", "expired-grant", "expired-parent", "its-child", "live", "revoked",
				"revoked-child", "revoked-grandchild"}},
			{31, []string{"expired-parent", "its-child", "live"}},
		} {
			testkit.NoError(t, db.Tidy(ctx, now.AddDate(0, 0, step.days)))
			testkit.Equal(t, rows(), step.want, "rows after %d days", step.days)
		}
	})
}

// Tidying deletes more rows than fit into one batch.
func TestTidyInBatches(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		twoAccounts(t, db)
		manyRevokedKeys(t, db, 2*tidyAtOnce+1, 1)
		testkit.NoError(t, db.Tidy(t.Context(), time.Now()))
		testkit.Equal(t, len(texts(t, db, `SELECT id FROM api_keys`)), 0, "keys are left")
	})
}

// manyRevokedKeys adds keys of acc-1 that were revoked at a given time.
func manyRevokedKeys(t testing.TB, db *DB, n int, revoked int64) {
	t.Helper()
	series := `generate_series(1, %d) AS s (n)`
	if !db.IsPostgres() {
		series = `(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < %d) SELECT n FROM s) AS s`
	}

	execute(t, db, fmt.Sprintf(`INSERT INTO api_keys (id, account_id, name, prefix, last4, hash, created_at, revoked_at)
		SELECT 'revoked-' || n, 'acc-1', '', '', '', 'revoked-' || n, 0, %d FROM `+series, revoked, n))
}

// Of several processes on one database, one tidies at a time.
func TestOneProcessTidiesAtATime(t *testing.T) {
	forPlaces(t, func(t *testing.T, open func() *DB) {
		db := open()
		if !db.IsPostgres() {
			t.Skip("only one process can have a SQLite file open; this is about several on PostgreSQL")
		}

		twoAccounts(t, db)
		manyRevokedKeys(t, db, 1, 1)
		tx := testkit.Must(open().Writer.BeginTx(t.Context(), nil))
		if mine, err := db.lockTidying(t.Context(), tx); err != nil || !mine {
			t.Fatal(mine, err)
		}

		for _, want := range []int{1, 0} {
			testkit.NoError(t, db.Tidy(t.Context(), time.Now()))
			testkit.Equal(t, len(texts(t, db, `SELECT id FROM api_keys`)), want, "keys are left")

			tx.Rollback()
		}
	})
}

// signedUp adds a user with a password who signed up a number of days ago.
func signedUp(t testing.TB, db *DB, name string, days int, verified bool) account.User {
	t.Helper()
	at := time.UnixMilli(now()).UTC().AddDate(0, 0, -days)
	u := account.User{ID: "user-" + name, Account: "account-" + name, Email: name + "@exemplu.example",
		EmailVerified: verified, CreatedAt: at, UpdatedAt: at}
	testkit.NoError(t, db.CreateUser(t.Context(), u, "free",
		account.Login{ID: "login-" + name, User: u.ID, Provider: account.Credential, Subject: u.ID, Password: "$",
			CreatedAt: at, UpdatedAt: at}))

	return u
}

func TestUsersWhoNeverVerified(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx, now := t.Context(), time.Now()
		old := signedUp(t, db, "old", 31, false)
		signedUp(t, db, "recent", 29, false)
		signedUp(t, db, "verified", 31, true)
		withKey, withSession := signedUp(t, db, "with-key", 31, false), signedUp(t, db, "with-session", 31, false)
		withCredits, customer := signedUp(t, db, "with-credits", 31, false), signedUp(t, db, "customer", 31, false)
		imported := account.User{Email: "imported@exemplu.example", CreatedAt: now.AddDate(-3, 0, 0)}
		testkit.NoError(t, testkit.Err(db.ImportUser(ctx, imported, fmt.Sprintf("%032x:%0128x", 1, 2), "free")))

		opened := account.User{ID: "opened", Account: "opened", Email: "opened@exemplu.example",
			CreatedAt: now.AddDate(-3, 0, 0)}
		for _, err := range []error{
			db.CreateUser(ctx, opened, "free"),
			db.CreateKey(ctx, account.Key{ID: "key", Account: withKey.Account}, []byte("key")),
			db.CreateSession(ctx, account.Session{ID: "session", User: withSession.ID, ExpiresAt: now.Add(time.Hour)},
				[]byte("session"), nil),
			db.GiveCredits(ctx, withCredits.Account, "2026-11", 1),
		} {
			testkit.NoError(t, err)
		}

		execute(t, db, `INSERT INTO customers (account_id, stripe_id, subscription_id, status, plan, granted,
			held_until, revision)
			VALUES ('`+customer.Account+`', 'cus_1', '', '', '', '', 0, 1)`)
		if n, err := db.DeleteUnverified(ctx, now); n != 1 || err != nil {
			t.Errorf("deleted %d, %v", n, err)
		}

		want := []string{"customer", "imported", "opened", "recent", "verified", "with-credits", "with-key",
			"with-session"}
		for i := range want {
			want[i] += "@exemplu.example"
		}
		testkit.Equal(t, texts(t, db, `SELECT email FROM users ORDER BY email`), want, "the users left")
		if a, err := db.Account(ctx, old.Account); err != nil || a.ClosedAt.IsZero() {
			t.Errorf("the account is %+v, %v", a, err)
		}
		// The same address can sign up again.
		signedUp(t, db, "old-again", 0, false)
		// A user who verifies at the last moment stays.
		recent, _, err := db.UserByEmail(ctx, "verified@exemplu.example")
		testkit.NoError(t, err)
		testkit.Equal(t, db.deleteIfUnverified(ctx, recent), account.ErrNoUser, "a verified user")
	})
}

// Once the write-ahead log has been truncated, the files contain no trace of a deleted user.
func TestDeletedPeopleAreGoneFromTheFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "accounts.db")
	db := open(t, path)
	var kept, deleted []account.User
	for i := range 300 {
		u := signedUp(t, db, fmt.Sprintf("person-%x-%03d", i*7919%1000, i), 0, true)
		testkit.NoError(t, db.CreateKey(t.Context(),
			account.Key{ID: account.NewID(), Account: u.Account, Name: "laptop of " + u.Email},
			[]byte(u.ID)))

		if i%3 == 0 {
			deleted = append(deleted, u)
		} else {
			kept = append(kept, u)
		}
	}

	for _, u := range deleted {
		testkit.NoError(t, db.DeleteUser(t.Context(), u))
	}

	if n := len(inFiles(t, path, deleted)); n == 0 {
		t.Error("the search finds no deleted user even in the write-ahead log")
	}
	testkit.NoError(t, db.TruncateWAL(t.Context()))
	testkit.Equal(t, len(inFiles(t, path, deleted)), 0, "deleted addresses in the files, of %d",
		len(deleted))
	testkit.Equal(t, len(inFiles(t, path, kept)), len(kept), "others in the files")
}

// inFiles lists the users' addresses found in a store's files.
func inFiles(t *testing.T, path string, users []account.User) (found []string) {
	t.Helper()
	files := testkit.Must(filepath.Glob(path + "*"))
	var content []byte
	for _, file := range files {
		text := testkit.Must(os.ReadFile(file))
		content = append(content, text...)
	}

	for _, u := range users {
		if bytes.Contains(content, []byte(u.Email)) {
			found = append(found, u.Email)
		}
	}

	return found
}
