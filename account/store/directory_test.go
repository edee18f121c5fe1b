package store

import (
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/testkit"
)

func TestUnusableKeysLookAlike(t *testing.T) { forStores(t, testUnusableKeysLookAlike) }

func testUnusableKeysLookAlike(t *testing.T, s *DB) {
	d := account.NewDirectory(s, pepper, account.DefaultPrefix)
	ctx := t.Context()
	live := issue(t, s, d, account.Key{ID: "key-1"})
	add := func(k account.Key) string {
		secret := account.NewSecret(account.DefaultPrefix)
		k.Account = "acc-1"
		testkit.NoError(t, s.CreateKey(ctx, k, d.Hash(secret)))

		return secret
	}
	revoked := add(account.Key{ID: "key-2"})
	testkit.NoError(t, s.RevokeKey(ctx, "acc-1", "key-2", ""))

	expired := add(account.Key{ID: "key-3", ExpiresAt: time.Now().Add(-time.Second)})

	for name, test := range map[string]struct {
		secret string
		want   error
	}{
		"live":             {live, nil},
		"unknown":          {account.NewSecret(account.DefaultPrefix), account.ErrUnknownKey},
		"revoked":          {revoked, account.ErrUnknownKey},
		"expired":          {expired, account.ErrUnknownKey},
		"not yet expired":  {add(account.Key{ID: "key-4", ExpiresAt: time.Now().Add(time.Hour)}), nil},
		"another pepper's": {secretOf(t, s), account.ErrUnknownKey},
	} {
		for _, time := range []string{"first", "second"} { // from the store, from memory
			testkit.Equal(t, testkit.Err(d.Key(ctx, test.secret)), test.want, "%s, %s time", name, time)
		}
	}
}

// secretOf creates a key in s that is hashed with another pepper.
func secretOf(t *testing.T, s *DB) string {
	t.Helper()
	secret := account.NewSecret(account.DefaultPrefix)
	hash := account.NewDirectory(s, []byte("another pepper"), account.DefaultPrefix).Hash(secret)
	testkit.NoError(t, s.CreateKey(t.Context(), account.Key{ID: "key-5", Account: "acc-1"}, hash))

	return secret
}

func TestConcurrentLookups(t *testing.T) { forStores(t, testConcurrentLookups) }

func testConcurrentLookups(t *testing.T, s *DB) {
	d := account.NewDirectory(s, pepper, account.DefaultPrefix)
	secret := issue(t, s, d, account.Key{ID: "key-1"})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 50 {
				if k, err := d.Key(t.Context(), secret); err != nil || k.ID != "key-1" {
					t.Errorf("got %+v, %v", k, err)
				}
				testkit.Equal(t, testkit.Err(d.Key(t.Context(), account.NewSecret(account.DefaultPrefix))),
					account.ErrUnknownKey)
			}
		})
	}

	wg.Wait()
}
