package store

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/testkit"
)

// person adds a user with an address and the password hash "old".
func person(t testing.TB, db *DB, email string) account.User {
	t.Helper()
	created := time.Date(2026, 11, 20, 9, 30, 0, 123e6, time.UTC)
	u := account.User{ID: account.NewID(), Account: account.NewID(), Email: email, Name: "Ana Exemplu ș",
		Image: "https://exemplu.example/a.png", Consent: "4f2a", ConsentedAt: created, CreatedAt: created,
		UpdatedAt: created}
	testkit.NoError(t, db.CreateUser(t.Context(), u, "free", login(u, account.Credential, u.ID, "old")))

	return u
}

func login(u account.User, provider, subject, password string) account.Login {
	return account.Login{ID: account.NewID(), User: u.ID, Provider: provider, Subject: subject, Password: password,
		CreatedAt: u.CreatedAt, UpdatedAt: u.CreatedAt}
}

// sessionOf adds a session of a user; its ID is its hash.
func sessionOf(t testing.TB, db *DB, u account.User, name string, age time.Duration) account.Session {
	t.Helper()
	now := time.Now().UTC().Truncate(time.Millisecond)
	s := account.Session{ID: name, User: u.ID, Account: u.Account, Plan: "free", Address: "192.0.2.1",
		Agent: "Exemplu/1", CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(age)}
	testkit.NoError(t, db.CreateSession(t.Context(), s, []byte(name), []byte("home")))

	return s
}

func TestUsers(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		u := person(t, db, "ana@exemplu.example")
		ctx := t.Context()
		if got, hash, err := db.UserByEmail(ctx, u.Email); err != nil || got != u || hash != "old" {
			t.Errorf("by address: %+v %s, %v", got, hash, err)
		}
		testkit.Equal(t, testkit.Must(db.User(ctx, u.ID)), u, "by id")
		testkit.NoError(t, db.AddLogin(ctx, login(u, "github", "4711", "")))
		testkit.Equal(t, testkit.Must(db.UserByLogin(ctx, "github", "4711")), u, "by login")
		if err := db.AddLogin(ctx, login(u, "github", "4711", "")); err == nil {
			t.Error("a login was added twice")
		}
		testkit.Equal(t, len(testkit.Must(db.Logins(ctx, u.ID))), 2, "logins")
		testkit.NoError(t, db.RenameUser(ctx, u.ID, "Ioana", ""))
		if got, err := db.User(ctx, u.ID); err != nil || got.Name != "Ioana" || got.Image != "" ||
			!got.UpdatedAt.After(u.UpdatedAt) {
			t.Errorf("renamed: %+v, %v", got, err)
		}

		_, _, err := db.UserByEmail(ctx, "nimeni@exemplu.example")
		_, err2 := db.User(ctx, "x")
		_, err3 := db.UserByLogin(ctx, "google", "4711")
		for _, err := range []error{err, err2, err3, db.RenameUser(ctx, "x", "", ""),
			db.SetEmail(ctx, "x", "b@exemplu.example")} {
			testkit.ErrorIs(t, err, account.ErrNoUser, "an unknown user")
		}
	})
}

func TestAddressHasOnlyOneUser(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		var wg sync.WaitGroup
		results := make([]error, 8)
		for i := range results {
			wg.Go(func() {
				u := account.User{ID: account.NewID(), Account: account.NewID(), Email: "ana@exemplu.example",
					CreatedAt: time.Now()}
				results[i] = db.CreateUser(t.Context(), u, "free")
			})
		}

		wg.Wait()
		made := 0
		for _, err := range results {
			if err == nil {
				made++
			} else if !errors.Is(err, account.ErrEmailTaken) {
				t.Error(err)
			}
		}

		testkit.Equal(t, made, 1, "users were created")
		testkit.Equal(t, len(testkit.Must(db.Accounts(t.Context(), "", "", 100))), 1, "accounts were created")

		u := person(t, db, "ioana@exemplu.example")
		testkit.ErrorIs(t, db.SetEmail(t.Context(), u.ID, "ana@exemplu.example"), account.ErrEmailTaken, "set")
		testkit.ErrorIs(t, db.VerifyEmail(t.Context(), u, "ana@exemplu.example", account.KeepAll, nil),
			account.ErrEmailTaken, "verify")
	})
}

func TestPasswords(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		u := person(t, db, "ana@exemplu.example")
		hash := func() string {
			t.Helper()
			_, hash, err := db.UserByEmail(ctx, u.Email)
			testkit.NoError(t, err)

			return hash
		}
		check := func(err error, want string) {
			t.Helper()
			if err != nil || hash() != want {
				t.Errorf("the hash is %s, want %s; %v", hash(), want, err)
			}
		}
		check(db.ReplacePassword(ctx, u.ID, "another", "new"), "old")
		check(db.ReplacePassword(ctx, u.ID, "old", "new"), "new")
		sessionOf(t, db, u, "other", time.Hour)
		sessionOf(t, db, u, "own", time.Hour)
		for name, subject := range map[string]string{"by id": u.ID, "by address": u.Email} {
			link := account.Verification{Purpose: "link", Subject: subject, ExpiresAt: time.Now().Add(time.Hour)}
			testkit.NoError(t, db.CreateVerification(ctx, link, []byte(name), account.Bound{}))
		}

		check(db.ChangePassword(ctx, u, "newer", "own"), "newer")
		if all, err := db.Sessions(ctx, u.ID); err != nil || len(all) != 1 || all[0].ID != "own" {
			t.Errorf("got %+v, %v", all, err)
		}

		for _, name := range []string{"by id", "by address"} {
			testkit.ErrorIs(t, testkit.Err(db.UseVerification(ctx, "link", []byte(name))), account.ErrNoVerification,
				"the link %s", name)
		}

		sessionOf(t, db, u, "one", time.Hour)
		sum := []byte("reset")
		testkit.NoError(t, db.CreateVerification(ctx,
			account.Verification{Purpose: "reset", Subject: u.ID, ExpiresAt: time.Now().Add(time.Hour)}, sum,
			account.Bound{}))

		check(db.ResetPassword(ctx, u, "newest", nil), "newest")
		if got, err := db.User(ctx, u.ID); err != nil || !got.EmailVerified {
			t.Errorf("got %+v, %v", got, err)
		}
		testkit.Equal(t, len(testkit.Must(db.Sessions(ctx, u.ID))), 0)
		testkit.ErrorIs(t, testkit.Err(db.UseVerification(ctx, "reset", sum)), account.ErrNoVerification,
			"another link")

		none := account.User{ID: account.NewID(), Account: account.NewID(), Email: "fara@exemplu.example",
			CreatedAt: time.Now()}
		testkit.NoError(t, db.CreateUser(ctx, none, "free"))

		u = none
		check(nil, "")
		check(db.ChangePassword(ctx, u, "first", ""), "first")
	})
}

func TestSessions(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		u, other := person(t, db, "ana@exemplu.example"), person(t, db, "ioana@exemplu.example")
		sessionOf(t, db, u, "past", -time.Minute)
		want := sessionOf(t, db, u, "one", time.Hour)
		testkit.Equal(t, testkit.Must(db.SessionByHash(ctx, []byte("one"))), want)
		testkit.ErrorIs(t, testkit.Err(db.SessionByHash(ctx, []byte("past"))), account.ErrNoSession,
			"an expired one is kept")

		notified := make(chan string, 100) // PostgreSQL also notifies us of our own changes
		defer db.Watch(func(account string) {
			if account == u.Account { // other tests on the same server send notifications too
				notified <- account
			}
		})()
		want.UpdatedAt, want.ExpiresAt = want.UpdatedAt.Add(time.Minute), want.ExpiresAt.Add(time.Minute)
		testkit.NoError(t, db.ExtendSession(ctx, want))

		sessionOf(t, db, u, "two", time.Hour)
		sessionOf(t, db, u, "three", time.Hour)
		sessionOf(t, db, other, "theirs", time.Hour)
		left := func(names ...string) {
			t.Helper()
			all, err := db.Sessions(ctx, u.ID)
			if err != nil || len(all) != len(names) {
				t.Fatalf("got %+v, %v", all, err)
			}

			for i, name := range names {
				testkit.Equal(t, all[i].ID, name)
			}
		}
		testkit.NoError(t, db.EndSession(ctx, u.Account, "theirs"))
		testkit.NoError(t, db.EndSession(ctx, u.Account, "three"))
		testkit.NoError(t, db.EndSessions(ctx, u.Account, "one"))

		left("one")
		testkit.NoError(t, db.EndSessions(ctx, u.Account, ""))

		left()
		testkit.NoError(t, testkit.Err(db.SessionByHash(ctx, []byte("theirs"))), "another user's session")
		if len(notified) < 5 {
			t.Errorf("notified %d times", len(notified))
		}
	})
}

func TestVerifications(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx, sum := t.Context(), []byte("one")
		want := account.Verification{Purpose: "email", Subject: "ana", Value: `{"x":1}`,
			ExpiresAt: time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)}
		put := func(hash string, age time.Duration) {
			t.Helper()
			v := want
			v.ExpiresAt = time.Now().Add(age)
			testkit.NoError(t, db.CreateVerification(ctx, v, []byte(hash), account.Bound{}))
		}
		testkit.NoError(t, db.CreateVerification(ctx, want, sum, account.Bound{}))

		put("expired", -time.Minute)
		put("long expired", -25*time.Hour)
		put("another", time.Hour) // deletes long-expired rows
		testkit.Equal(t, testkit.Must(db.Verification(ctx, "email", sum)), want)
		testkit.NoError(t, testkit.Err(db.Verification(ctx, "email", []byte("expired"))), "expired")
		// The first link and one other still work.
		testkit.NoError(t, db.CreateVerification(ctx, want, []byte("third"), account.Bound{Live: 3}))
		testkit.ErrorIs(t, db.CreateVerification(ctx, want, []byte("fourth"), account.Bound{Live: 3}),
			account.ErrTooMany, "the fourth of three")

		_, other := db.UseVerification(ctx, "reset", sum)
		_, expired := db.UseVerification(ctx, "email", []byte("expired"))
		_, long := db.Verification(ctx, "email", []byte("long expired"))
		want.Used = true
		testkit.Equal(t, testkit.Must(db.UseVerification(ctx, "email", sum)), want, "used")

		_, again := db.UseVerification(ctx, "email", sum)
		for name, err := range map[string]error{"another purpose": other, "expired": expired, "long expired": long,
			"again": again} {
			testkit.ErrorIs(t, err, account.ErrNoVerification, name)
		}
	})
}

// prepared is an account that somebody set up with another person's address. It has a password, a consent, a session, a
// grant, a link and a key.
type prepared struct {
	account.User
	keys *account.Directory
	key  string
}

func prepare(t *testing.T, db *DB) prepared {
	t.Helper()
	p := prepared{User: person(t, db, "ana@exemplu.example"),
		keys: account.NewDirectory(db, pepper, account.DefaultPrefix)}
	t.Cleanup(db.Watch(p.keys.Forget))
	sessionOf(t, db, p.User, "one", time.Hour)
	grant := account.Grant{ID: account.NewID(), Account: p.Account, App: "app", Resource: resource,
		Scope: account.ReadScope, CreatedAt: time.Now()}
	testkit.NoError(t, db.CreateGrant(t.Context(), grant, token(account.CodeToken, grant.ID, time.Minute)))

	for name, subject := range map[string]string{"by id " + p.ID: p.ID, "by address " + p.ID: p.Email} {
		link := account.Verification{Purpose: "link", Subject: subject, ExpiresAt: time.Now().Add(time.Hour)}
		testkit.NoError(t, db.CreateVerification(t.Context(), link, []byte(name), account.Bound{}))
	}

	p.key = p.issue(t)
	return p
}

func (p prepared) issue(t *testing.T) string {
	t.Helper()
	_, secret, err := p.keys.Issue(t.Context(), account.Key{Account: p.Account, Name: "of a stranger"})
	testkit.NoError(t, err)
	testkit.NoError(t, testkit.Err(p.keys.Key(t.Context(), secret)))

	return secret
}

// left lists which of these still exist.
func (p prepared) left(t *testing.T, db *DB) (left []string) {
	t.Helper()
	u, password, err := db.UserByEmail(t.Context(), p.Email)
	testkit.NoError(t, err)
	if password == "old" {
		left = append(left, "password")
	}
	if u.Consent == "4f2a" && !u.ConsentedAt.IsZero() {
		left = append(left, "consent")
	}
	if _, err := db.SessionByHash(t.Context(), []byte("one")); err == nil {
		left = append(left, "session")
	}
	if tally(t, db, `SELECT COUNT(*) FROM oauth_grants`) > 0 {
		left = append(left, "grant")
	}
	if tally(t, db, `SELECT COUNT(*) FROM verifications WHERE used = 0`) > 0 {
		left = append(left, "link")
	}

	if _, err := p.keys.Key(t.Context(), p.key); err == nil {
		left = append(left, "key")
	} else if !errors.Is(err, account.ErrUnknownKey) {
		t.Error(err)
	}

	return left
}

// Proving an unverified address, by any means, ends everything that was set up before. Proving a verified address does
// not.
func TestProof(t *testing.T) {
	all := []string{"password", "consent", "session", "grant", "link", "key"}
	withoutLink := []string{"password", "consent", "session", "grant", "key"}
	verify := func(keep account.Keep) func(*DB, context.Context, account.User) error {
		return func(db *DB, ctx context.Context, u account.User) error {
			return db.VerifyEmail(ctx, u, u.Email, keep, nil)
		}
	}
	reset := func(db *DB, ctx context.Context, u account.User) error { return db.ResetPassword(ctx, u, "new", nil) }
	for name, c := range map[string]struct {
		prove          func(*DB, context.Context, account.User) error
		first, further []string // remaining for an unverified user, and for a verified one
	}{
		"link to sign in, or a provider": {(*DB).ProveUser, nil, all},
		"new password":                   {reset, nil, []string{"consent", "grant", "key"}},
		"link to verify":                 {verify(account.KeepNothing), nil, withoutLink},
		"link to verify, where only verified users sign in": {verify(account.KeepPassword),
			[]string{"password", "consent"}, withoutLink},
		"link to verify, signed in": {verify(account.KeepAll), withoutLink, withoutLink},
	} {
		t.Run(name, func(t *testing.T) {
			forStores(t, func(t *testing.T, db *DB) {
				for verified, want := range map[int][]string{0: c.first, 1: c.further} {
					p := prepare(t, db)
					execute(t, db, `UPDATE users SET email_verified = `+strconv.Itoa(verified))
					testkit.NoError(t, c.prove(db, t.Context(), p.User))
					testkit.Equal(t, p.left(t, db), want, "what is left, verified before: %d", verified)
					if u, err := db.User(t.Context(), p.ID); err != nil || !u.EmailVerified {
						t.Errorf("got %+v, %v", u, err)
					}
					testkit.NoError(t, db.DeleteUser(t.Context(), p.User))
				}
			})
		})
	}
}

// Keys that an operator issued before the owner first signed in stay valid.
func TestKeysOfAnOperatorOutliveTheProof(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		u := testkit.Must(db.ImportUser(t.Context(), account.User{Email: "ana@exemplu.example", Name: "Ana Exemplu"},
			"",
			"free"))
		p := prepared{User: u, keys: account.NewDirectory(db, pepper, account.DefaultPrefix)}
		defer db.Watch(p.keys.Forget)()
		p.key = p.issue(t)
		testkit.NoError(t, db.ResetPassword(t.Context(), u, "new", nil))
		testkit.Equal(t, p.left(t, db), []string{"key"}, "what is left")
	})
}

// Deleting a user deletes personal data, ends all access and closes the account. Its charges stay.
func TestDeletedUser(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		p := prepare(t, db)
		db.settle(t, november, charges(3, p.Account, 100)...)
		testkit.NoError(t, db.DeleteUser(ctx, p.User))
		for _, table := range []string{"users", "logins", "sessions", "verifications", "oauth_grants"} {
			testkit.Equal(t, tally(t, db, `SELECT COUNT(*) FROM `+table), 0, "rows left in %s", table)
		}

		testkit.ErrorIs(t, testkit.Err(p.keys.Key(ctx, p.key)), account.ErrUnknownKey, "the key")
		testkit.Equal(t, texts(t, db, `SELECT name FROM api_keys`), []string{""}, "the names of keys")
		if _, _, err := p.keys.Issue(ctx, account.Key{Account: p.Account}); !errors.Is(err, account.ErrNoAccount) {
			t.Errorf("another key: %v", err)
		}
		if n, credits := db.entries(t, p.Account, "2026-11"); n != 3 || credits != 3 {
			t.Errorf("there are %d charges of %d credits", n, credits)
		}
		if testkit.Must(db.Account(ctx, p.Account)).ClosedAt.IsZero() {
			t.Error("the account is open")
		}
		if again := person(t, db, p.Email); again.Account == p.Account {
			t.Error("the deleted account is open again")
		}
		testkit.NoError(t, db.DeleteUser(ctx, p.User), "the second deletion")
		if _, _, err := db.UserByEmail(ctx, p.Email); err != nil {
			t.Errorf("the second deletion deleted the newcomer: %v", err)
		}
	})
}

// ForeignPasswords reports at once whether any imported hash is left.
func TestForeignPasswords(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		foreign := func(want bool) {
			t.Helper()
			testkit.Equal(t, testkit.Must(db.ForeignPasswords(t.Context())), want)
		}
		ours := account.User{ID: account.NewID(), Account: account.NewID(), Email: "ana@exemplu.example",
			Name: "Ana Exemplu"}
		testkit.NoError(t, db.CreateUser(t.Context(), ours, "free",
			login(ours, account.Credential, ours.ID, "$argon2id$v=19$"), login(ours, "github", "4711", "")))

		foreign(false)
		hash := strings.Repeat("0a", 16) + ":" + strings.Repeat("0b", 64)
		theirs := testkit.Must(db.ImportUser(t.Context(), account.User{Email: "ion@exemplu.example",
			Name: "Ion Exemplu"}, hash,
			"free"))
		foreign(true)
		testkit.NoError(t, db.ReplacePassword(t.Context(), theirs.ID, hash, "$argon2id$v=19$"))

		foreign(false)
	})
}

func TestVerificationValues(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		for i, v := range []account.Verification{
			{Purpose: "try", Subject: "ana@exemplu.example", Value: "one"},
			{Purpose: "try", Subject: "ana@exemplu.example", Value: "two"},
			{Purpose: "try", Subject: "ana@exemplu.example", Value: "past", ExpiresAt: time.Now().Add(-time.Minute)},
			{Purpose: "try", Subject: "ion@exemplu.example", Value: "of another"},
			{Purpose: "magic", Subject: "ana@exemplu.example", Value: "for something else"},
		} {
			if v.ExpiresAt.IsZero() {
				v.ExpiresAt = time.Now().Add(time.Minute)
			}
			testkit.NoError(t, db.CreateVerification(t.Context(), v, []byte{byte(i)}, account.Bound{}))
		}

		got, err := db.VerificationValues(t.Context(), "try", "ana@exemplu.example")
		if slices.Sort(got); err != nil || !slices.Equal(got, []string{"one", "two"}) {
			t.Errorf("got %v, %v", got, err)
		}
	})
}

// Concurrent links are counted one after the other, also against the daily limit.
func TestBounds(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		create := func(subject string, i int, bound account.Bound) error {
			v := account.Verification{Purpose: "link", Subject: subject, ExpiresAt: time.Now().Add(time.Hour)}
			return db.CreateVerification(t.Context(), v, []byte(subject+strconv.Itoa(i)), bound)
		}
		for name, bound := range map[string]account.Bound{
			"live":  {Live: 5, Counter: "aa"},
			"daily": {Counter: "bb", Daily: 5},
		} {
			var wg sync.WaitGroup
			results := make([]error, 16)
			for i := range results {
				wg.Go(func() { results[i] = create(name, i, bound) })
			}

			wg.Wait()
			made := 0
			for _, err := range results {
				if err == nil {
					made++
				} else if !errors.Is(err, account.ErrTooMany) {
					t.Error(err)
				}
			}

			testkit.Equal(t, made, 5, "%s were created", name)
		}

		testkit.Equal(t, tally(t, db, `SELECT n FROM daily_counts WHERE name = 'aa'`), 5,
			"counted links, without the refused")

		execute(t, db, `UPDATE daily_counts SET day = '2026-01-01'`)
		testkit.NoError(t, create("daily", 16, account.Bound{Counter: "bb", Daily: 5}), "on another day")
		testkit.Equal(t, tally(t, db, `SELECT COUNT(*) FROM daily_counts`), 1, "counts are kept")
	})
}
