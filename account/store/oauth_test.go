package store

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/testkit"
)

const resource = "https://rodata.example/mcp"

// allow adds a grant to acc-1 with the grant's id as the hash of its code.
func allow(t testing.TB, db *DB, id, app string) account.Grant {
	t.Helper()
	g := account.Grant{ID: id, Account: "acc-1", App: app, Name: "Exemplu ș", Resource: resource,
		Scope: account.ReadScope, Redirect: "http://127.0.0.1:4711/back", Challenge: "a challenge",
		CreatedAt: time.UnixMilli(now()).UTC()}
	testkit.NoError(t, db.CreateGrant(t.Context(), g, token(account.CodeToken, id, time.Minute)))

	return g
}

// token returns a token with a text as its hash.
func token(kind account.TokenKind, hash string, age time.Duration) account.Token {
	return account.Token{Kind: kind, Hash: []byte(hash), ExpiresAt: time.UnixMilli(now()).UTC().Add(age)}
}

// code returns a code to exchange, with a text as its hash.
func code(hash string) account.Token { return token(account.CodeToken, hash, 0) }

func TestGrantsSurviveARestart(t *testing.T) {
	forPlaces(t, func(t *testing.T, open func() *DB) {
		db := open()
		twoAccounts(t, db)
		want := allow(t, db, "grant-1", "app")
		access := token(account.AccessToken, "access-1", time.Hour)
		testkit.NoError(t, db.ExchangeToken(t.Context(), want, code("grant-1"), access,
			token(account.RefreshToken, "refresh-1", 24*time.Hour)))

		used := want.CreatedAt.Add(time.Minute)
		testkit.NoError(t, db.TouchGrants(t.Context(), map[string]time.Time{"grant-1": used, "unknown": used}))
		testkit.NoError(t, db.Close())

		db = open()
		got, refresh, err := db.GrantByToken(t.Context(), account.RefreshToken, []byte("refresh-1"))
		want.LastUsedAt, want.ExpiresAt = used, refresh.ExpiresAt
		if err != nil || got != want || !refresh.UsedAt.IsZero() {
			t.Errorf("got %+v %+v %v\nwant %+v", got, refresh, err, want)
		}
		if _, used, err := db.GrantByToken(t.Context(), account.CodeToken, []byte("grant-1")); err != nil ||
			used.UsedAt.IsZero() {
			t.Errorf("the code: %+v %v", used, err)
		}

		wantKey := account.Key{ID: "grant-1", Account: "acc-1", Plan: "free", Verified: true, Name: "Exemplu ș",
			CreatedAt: want.CreatedAt, LastUsedAt: used, ExpiresAt: access.ExpiresAt, Scope: account.ReadScope}
		testkit.Equal(t, testkit.Must(db.KeyByToken(t.Context(), []byte("access-1"), resource)), wantKey)
		if grants, err := db.Grants(t.Context(), "acc-1"); err != nil || len(grants) != 1 || grants[0] != want {
			t.Errorf("listed are %+v %v", grants, err)
		}
	})
}

func TestUnknownTokens(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		twoAccounts(t, db)
		g := allow(t, db, "grant-1", "app")
		testkit.NoError(t, db.ExchangeToken(t.Context(), g, code("grant-1"),
			token(account.AccessToken, "access", time.Hour), token(account.RefreshToken, "refresh", time.Hour)))

		for name, c := range map[string]struct{ hash, resource string }{
			"unknown": {"nothing", resource}, "a refresh token": {"refresh", resource}, "a code": {"grant-1", resource},
			"another resource": {"access", "https://rodata.example"},
		} {
			testkit.Equal(t, testkit.Err(db.KeyByToken(t.Context(), []byte(c.hash), c.resource)), account.ErrUnknownKey,
				name)
		}

		if _, _, err := db.GrantByToken(t.Context(), account.RefreshToken,
			[]byte("access")); err != account.ErrNoGrant {
			t.Errorf("an access token was accepted as a refresh token: %v", err)
		}
		testkit.NoError(t, db.CloseAccount(t.Context(), "acc-1"))
		testkit.Equal(t, testkit.Err(db.KeyByToken(t.Context(), []byte("access"), resource)), account.ErrUnknownKey,
			"a token of a closed account")
		testkit.Equal(t,
			db.ExchangeToken(t.Context(), g, token(account.RefreshToken, "refresh", 0), token(account.AccessToken,
				"more", time.Hour)), account.ErrNoGrant, "exchanging a token of a closed account")
	})
}

// If a token is exchanged concurrently, one exchange succeeds. The replay ends the grant.
func TestConcurrentExchangesSucceedOnce(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		twoAccounts(t, db)
		g := allow(t, db, "grant-1", "app")
		const callers = 8
		results := make(chan error, callers)
		for i := range callers {
			go func() {
				results <- db.ExchangeToken(t.Context(), g, code("grant-1"),
					token(account.AccessToken, fmt.Sprint("access-", i), time.Hour))
			}()
		}

		succeeded := 0
		for range callers {
			switch err := <-results; err {
			case nil:
				succeeded++
			case account.ErrNoGrant:
			default:
				t.Error(err)
			}
		}

		testkit.Equal(t, succeeded, 1, "exchanges")

		for i := range callers {
			testkit.Equal(t, testkit.Err(db.KeyByToken(t.Context(), fmt.Append(nil, "access-", i), resource)),
				account.ErrUnknownKey, "access-%d is left", i)
		}
	})
}

// Concurrent renewals with one refresh token all succeed. A renewal after the leeway ends the grant, and the leeway
// begins with the first use.
func TestConcurrentRenewals(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		twoAccounts(t, db)
		g := allow(t, db, "grant-1", "app")
		refresh := token(account.RefreshToken, "refresh", time.Hour)
		testkit.NoError(t, db.ExchangeToken(t.Context(), g, code("grant-1"), refresh))

		renew := func(access string) error {
			return db.ExchangeToken(t.Context(), g, refresh, token(account.AccessToken, access, time.Hour))
		}
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				if err := renew(fmt.Sprint("access-", i)); err != nil {
					t.Error(err)
				}
			})
		}

		wg.Wait()
		for i := range 8 {
			if _, err := db.KeyByToken(t.Context(), fmt.Append(nil, "access-", i), resource); err != nil {
				t.Errorf("access-%d: %v", i, err)
			}
		}

		later := func(by time.Duration) {
			execute(t, db, fmt.Sprintf(`UPDATE oauth_tokens SET used_at = used_at - %d`, by.Milliseconds()))
		}
		later(account.RenewalLeeway * 2 / 3)
		testkit.NoError(t, renew("access-late"))
		later(account.RenewalLeeway * 2 / 3)
		testkit.Equal(t, renew("access-later"), account.ErrNoGrant, "after the leeway")
		testkit.Equal(t, testkit.Err(db.KeyByToken(t.Context(), []byte("access-0"), resource)), account.ErrUnknownKey,
			"the grant has not ended")
	})
}

func TestGrantsEnd(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		twoAccounts(t, db)
		allow(t, db, "grant-1", "app")
		allow(t, db, "grant-2", "app")
		var changed atomic.Bool // by the listener too, on PostgreSQL
		defer db.Watch(func(string) { changed.Store(true) })()
		testkit.Equal(t, db.EndGrant(t.Context(), "acc-2", "grant-1"), account.ErrNoGrant, "by another account")

		for _, want := range []error{nil, account.ErrNoGrant} {
			testkit.Equal(t, db.EndGrant(t.Context(), "acc-1", "grant-1"), want)
		}

		if !changed.Load() {
			t.Error("no watcher was notified")
		}
		if _, _, err := db.GrantByToken(t.Context(), account.CodeToken, []byte("grant-1")); err != account.ErrNoGrant {
			t.Errorf("the code of the grant is left: %v", err)
		}
		if grants, err := db.Grants(t.Context(), "acc-1"); err != nil || len(grants) != 1 || grants[0].ID != "grant-2" {
			t.Errorf("listed are %+v %v", grants, err)
		}

		none := db.CreateGrant(t.Context(), account.Grant{ID: "grant-3", Account: "unknown"},
			token(account.CodeToken, "x", time.Minute))
		testkit.ErrorIs(t, none, account.ErrNoAccount, "without an account")
	})
}

func TestOldestGrantIsReplaced(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		twoAccounts(t, db)
		for i := range account.MaxGrants + 1 {
			allow(t, db, fmt.Sprintf("grant-%03d", i), "app")
		}

		grants, err := db.Grants(t.Context(), "acc-1")
		if err != nil || len(grants) != account.MaxGrants || grants[0].ID != "grant-001" {
			t.Errorf("%d, the first %+v, %v", len(grants), grants[0], err)
		}
	})
}

func TestExpiredTokensAreDeleted(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		twoAccounts(t, db)
		g := allow(t, db, "old", "app")
		testkit.NoError(t, db.ExchangeToken(t.Context(), g, code("old"),
			token(account.AccessToken, "past", -time.Second), token(account.RefreshToken, "refresh", time.Hour)))
		testkit.NoError(t, db.ExchangeToken(t.Context(), g, token(account.RefreshToken, "refresh", 0),
			token(account.AccessToken, "next", time.Hour)))

		got := texts(t, db, `SELECT kind FROM oauth_tokens`)
		slices.Sort(got)
		testkit.Equal(t, got, []string{"access", "code", "refresh"}, "tokens")
	})
}

// A grant issued before scopes were introduced permits what its consent page named; no grant is left without a scope.
func TestScopeOfEarlierGrants(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		twoAccounts(t, db)
		execute(t, db, `INSERT INTO oauth_grants (id, account_id, client_id, name, resource, redirect, challenge,
			created_at, expires_at) VALUES ('grant-1', 'acc-1', 'app', '', '', '', '', 0, 9000000000000)`)
		if grants, err := db.Grants(t.Context(), "acc-1"); err != nil || len(grants) != 1 ||
			grants[0].Scope != account.ReadScope {
			t.Errorf("got %+v %v", grants, err)
		}
		if err := db.CreateGrant(t.Context(), account.Grant{ID: "grant-2", Account: "acc-1"},
			token(account.CodeToken, "x", time.Minute)); err == nil {
			t.Error("a grant without a scope was stored")
		}
	})
}
