package store

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/testkit"
)

func TestKeysSurviveARestart(t *testing.T) {
	forPlaces(t, func(t *testing.T, open func() *DB) {
		created := time.Date(2026, 11, 20, 9, 30, 0, 123e6, time.UTC)
		want := account.Key{ID: "key-1", Account: "acc-1", Plan: "starter", Verified: true, Name: "ERP ș",
			CreatedAt: created, LastUsedAt: created.Add(time.Hour), ExpiresAt: created.AddDate(80, 0, 0)}
		db := open()
		d := account.NewDirectory(db, pepper, account.DefaultPrefix)
		secret := issue(t, db, d, want)
		want.Prefix, want.Last4 = account.Ends(secret)
		testkit.NoError(t, db.Close())

		db = open()
		d = account.NewDirectory(db, pepper, account.DefaultPrefix)
		testkit.Equal(t, testkit.Must(d.Key(t.Context(), secret)), want)
		if keys, err := db.ListKeys(t.Context(), "acc-1"); err != nil || len(keys) != 1 || keys[0] != want {
			t.Errorf("listed are %+v, %v", keys, err)
		}
	})
}

// A key or token reports whether the address of its account is verified.
func TestKeysOfVerifiedAccounts(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		twoAccounts(t, db)
		ctx := t.Context()
		signedUp, imported := person(t, db, "ana@exemplu.example"),
			account.User{Account: "acc-3", Email: "ioana@exemplu.example", Name: "Ioana"}
		testkit.NoError(t, testkit.Err(db.ImportUser(ctx, imported, "", "free")))

		verified := func(owner string) bool {
			t.Helper()
			id := account.NewID()
			testkit.NoError(t, db.CreateKey(ctx, account.Key{ID: id, Account: owner}, []byte(id)))

			g := account.Grant{ID: id, Account: owner, App: "app", Resource: resource, Scope: account.ReadScope,
				CreatedAt: time.Now()}
			testkit.NoError(t, db.CreateGrant(ctx, g, token(account.AccessToken, id, time.Hour)))

			key, err1 := db.KeyByHash(ctx, []byte(id))
			app, err2 := db.KeyByToken(ctx, []byte(id), resource)
			if err := errors.Join(err1, err2); err != nil || key.Verified != app.Verified {
				t.Fatalf("a key: %v, an app: %v; %v", key.Verified, app.Verified, err)
			}

			return key.Verified
		}
		for owner, want := range map[string]bool{"acc-1": true, imported.Account: true, signedUp.Account: false} {
			testkit.Equal(t, verified(owner), want, "%s is verified", owner)
		}

		testkit.NoError(t, db.ProveUser(ctx, signedUp))
		if !verified(signedUp.Account) {
			t.Error("a user who has verified the address is unverified")
		}
		testkit.NoError(t, db.AddLogin(ctx, login(signedUp, account.Credential, signedUp.ID, "hash")))
		testkit.NoError(t, db.SetEmail(ctx, signedUp.ID, "noua@exemplu.example"))
		if verified(signedUp.Account) {
			t.Error("a user with another address is verified")
		}
	})
}

// add creates keys of acc-1, each with its id as its hash.
func add(t testing.TB, db *DB, keys ...account.Key) {
	t.Helper()
	for _, k := range keys {
		k.Account = "acc-1"
		testkit.NoError(t, db.CreateKey(t.Context(), k, []byte(k.ID)))
	}
}

// ids returns the ids of the keys of an account.
func ids(t testing.TB, db *DB, owner string) (ids []string) {
	t.Helper()
	keys := testkit.Must(db.ListKeys(t.Context(), owner))

	for _, k := range keys {
		ids = append(ids, k.ID)
	}

	return ids
}

func twoAccounts(t testing.TB, db *DB) {
	t.Helper()
	for _, id := range []string{"acc-1", "acc-2"} {
		testkit.NoError(t, db.CreateAccount(t.Context(), account.Account{ID: id, Plan: "free"}))
	}
}

func TestKeysThatAreRefused(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		twoAccounts(t, db)
		add(t, db, account.Key{ID: "key-1"}, account.Key{ID: "key-2"})
		testkit.NoError(t, db.RevokeKey(t.Context(), "acc-1", "key-2", ""))

		create := func(k account.Key, hash string) error { return db.CreateKey(t.Context(), k, []byte(hash)) }
		for name, c := range map[string]struct{ got, want error }{
			"a second of one id":   {create(account.Key{ID: "key-1", Account: "acc-1"}, "3"), nil},
			"a second of one hash": {create(account.Key{ID: "key-3", Account: "acc-1"}, "key-1"), nil},
			"of no account":        {create(account.Key{ID: "key-3", Account: "acc-3"}, "3"), account.ErrNoAccount},
			"of no parent": {create(account.Key{ID: "key-3", Account: "acc-1", Parent: "key-9"}, "3"),
				account.ErrUnknownKey},
			"of a foreign parent": {create(account.Key{ID: "key-3", Account: "acc-2", Parent: "key-1"}, "3"),
				account.ErrUnknownKey},
			"of a revoked parent": {create(account.Key{ID: "key-3", Account: "acc-1", Parent: "key-2"}, "3"),
				account.ErrUnknownKey},
		} {
			if c.got == nil || c.want != nil && !errors.Is(c.got, c.want) {
				t.Errorf("a key %s: got %v, want %v", name, c.got, c.want)
			}
		}

		testkit.Equal(t, ids(t, db, "acc-1"), []string{"key-1"}, "the keys")
	})
}

func TestKeysAreListedByAge(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		twoAccounts(t, db)
		day := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
		add(t, db, account.Key{ID: "key-3", CreatedAt: day}, account.Key{ID: "key-1", CreatedAt: day.Add(time.Hour)},
			account.Key{ID: "key-2", CreatedAt: day})
		testkit.Equal(t, ids(t, db, "acc-1"), []string{"key-2", "key-3", "key-1"})
		if got := ids(t, db, "acc-2"); got != nil {
			t.Errorf("the other account has %v", got)
		}
	})
}

// Concurrent creation does not exceed the limit of keys.
func TestLimitOfKeys(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		twoAccounts(t, db)
		var made, refused atomic.Int32
		var wg sync.WaitGroup
		for i := range 2 * account.MaxKeys {
			wg.Go(func() {
				k := account.Key{ID: fmt.Sprintf("key-%d", i), Account: "acc-1"}
				switch err := db.CreateKey(t.Context(), k, []byte(k.ID)); {
				case err == nil:
					made.Add(1)
				case errors.Is(err, account.ErrTooManyKeys):
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}

		wg.Wait()
		if made.Load() != account.MaxKeys || refused.Load() != account.MaxKeys {
			t.Errorf("%d were created and %d refused", made.Load(), refused.Load())
		}
		testkit.NoError(t, db.RevokeKey(t.Context(), "acc-1", ids(t, db, "acc-1")[0], ""))

		add(t, db, account.Key{ID: "key-in-its-place"})
	})
}

// If a caller revokes a key with one of its descendants, that descendant and its own descendants stay.
func TestRevokingWithADescendantKeepsIt(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		twoAccounts(t, db)
		add(t, db, account.Key{ID: "owner"}, account.Key{ID: "old", Parent: "owner"},
			account.Key{ID: "between", Parent: "old"},
			account.Key{ID: "new", Parent: "between"}, account.Key{ID: "made-by-new", Parent: "new"},
			account.Key{ID: "sibling", Parent: "old"}, account.Key{ID: "stranger"})
		for _, step := range []struct {
			id, by string
			leave  []string
		}{
			{"old", "new", []string{"made-by-new", "new", "owner", "stranger"}},
			// The previous step gave it the parent of the revoked key, so revoking that parent revokes it too.
			{"owner", "stranger", []string{"stranger"}},
			{"stranger", "stranger", nil},
		} {
			testkit.NoError(t, db.RevokeKey(ctx, "acc-1", step.id, step.by))

			got := ids(t, db, "acc-1")
			slices.Sort(got)
			testkit.Equal(t, got, step.leave, "keys after revoking %s with %s", step.id, step.by)
		}
	})
}

func TestRevokingKeyRevokesItsDescendants(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		twoAccounts(t, db)
		add(t, db, account.Key{ID: "root"}, account.Key{ID: "child", Parent: "root"},
			account.Key{ID: "grandchild", Parent: "child"},
			account.Key{ID: "sibling", Parent: "root"}, account.Key{ID: "stranger"})
		for name, err := range map[string]error{
			"a foreign key":  db.RevokeKey(ctx, "acc-2", "root", ""),
			"an unknown key": db.RevokeKey(ctx, "acc-1", "key-9", ""),
			"of no account":  db.RevokeKey(ctx, "acc-3", "root", ""),
		} {
			testkit.Equal(t, err, account.ErrUnknownKey, "revoking %s", name)
		}

		for _, step := range []struct {
			id    string
			leave []string
		}{
			{"child", []string{"root", "sibling", "stranger"}},
			{"root", []string{"stranger"}},
		} {
			testkit.NoError(t, db.RevokeKey(ctx, "acc-1", step.id, ""))
			testkit.Equal(t, ids(t, db, "acc-1"), step.leave, "keys after the %s", step.id)
		}

		testkit.Equal(t, testkit.Err(db.KeyByHash(ctx, []byte("grandchild"))), account.ErrUnknownKey, "a grandchild")
		testkit.Equal(t, db.RevokeKey(ctx, "acc-1", "child", ""), account.ErrUnknownKey, "the second time")
	})
}

// A key that is created while its parent is being revoked is revoked too.
func TestKeyCreatedDuringRevocationIsRevoked(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		twoAccounts(t, db)
		for i := range 10 {
			parent, child := fmt.Sprintf("parent-%d", i), fmt.Sprintf("child-%d", i)
			add(t, db, account.Key{ID: parent})
			var wg sync.WaitGroup
			wg.Go(func() {
				err := db.CreateKey(t.Context(), account.Key{ID: child, Account: "acc-1", Parent: parent},
					[]byte(child))
				if err != nil && !errors.Is(err, account.ErrUnknownKey) {
					t.Error(err)
				}
			})
			wg.Go(func() {
				if err := db.RevokeKey(t.Context(), "acc-1", parent, ""); err != nil {
					t.Error(err)
				}
			})
			wg.Wait()
			if left := ids(t, db, "acc-1"); left != nil {
				t.Fatalf("%v are left", left)
			}
		}
	})
}

func TestUseIsNoted(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		twoAccounts(t, db)
		add(t, db, account.Key{ID: "key-1"}, account.Key{ID: "key-2"}, account.Key{ID: "key-3"})
		first := time.Date(2026, 11, 20, 9, 30, 0, 123e6, time.UTC)
		for _, used := range []map[string]time.Time{
			{"key-1": first, "key-2": first},
			// Written by a process whose clock is behind.
			{"key-1": first.Add(-time.Hour), "key-2": first.Add(time.Hour), "key-9": first},
			{},
		} {
			testkit.NoError(t, db.TouchKeys(t.Context(), used))
		}

		keys := testkit.Must(db.ListKeys(t.Context(), "acc-1"))

		for i, want := range []time.Time{first, first.Add(time.Hour), {}} {
			if got := keys[i].LastUsedAt; !got.Equal(want) {
				t.Errorf("%s was used at %v, want %v", keys[i].ID, got, want)
			}
		}
	})
}

func TestClosedStore(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		d := account.NewDirectory(db, pepper, account.DefaultPrefix)
		secret := issue(t, db, d, account.Key{ID: "key-1"})
		db.Close()
		if err := db.Ping(t.Context()); err == nil {
			t.Error("a closed store answers")
		}
		if _, err := d.Key(t.Context(), secret); !errors.Is(err, account.ErrStoreDown) ||
			errors.Is(err, account.ErrUnknownKey) {
			t.Errorf("a lookup in a closed store got %v", err)
		}
		testkit.ErrorIs(t, d.Revoke(t.Context(), "acc-1", "key-1", ""), account.ErrStoreDown,
			"a revocation in a closed store")
	})
}
