package store

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/testkit"
)

func TestAccounts(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		opened := time.Date(2026, 11, 20, 9, 30, 0, 123e6, time.UTC)
		want := account.Account{ID: "acc-1", Plan: "free", CreatedAt: opened}
		testkit.NoError(t, db.CreateAccount(ctx, want))
		if err := db.CreateAccount(ctx, want); err == nil {
			t.Error("a second account got the same id")
		}
		testkit.Equal(t, testkit.Must(db.Account(ctx, "acc-1")), want)
		testkit.NoError(t, db.SetPlan(ctx, "acc-1", "pro"))
		testkit.NoError(t, db.CloseAccount(ctx, "acc-1"))

		got, err := db.Account(ctx, "acc-1")
		if err != nil || got.Plan != "pro" || time.Since(got.ClosedAt) > time.Minute {
			t.Errorf("got %+v, %v", got, err)
		}

		_, unknown := db.Account(ctx, "acc-2")
		for name, err := range map[string]error{
			"reading what is not there":    unknown,
			"a plan for what is not there": db.SetPlan(ctx, "acc-2", "pro"),
			"a plan for a closed account":  db.SetPlan(ctx, "acc-1", "free"),
			"closing what is not there":    db.CloseAccount(ctx, "acc-2"),
			"closing what is closed":       db.CloseAccount(ctx, "acc-1"),
			"a key for what is not there, wrapped": errors.Unwrap(db.CreateKey(ctx,
				account.Key{ID: "key-1", Account: "acc-2"}, []byte("1"))),
			"a key for a closed account, wrapped": errors.Unwrap(db.CreateKey(ctx,
				account.Key{ID: "key-1", Account: "acc-1"}, []byte("1"))),
		} {
			testkit.Equal(t, err, account.ErrNoAccount, name)
		}
	})
}

func TestAccountsAreFound(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		for _, a := range []account.Account{{ID: "acc-2", Plan: "pro"}, {ID: "acc-1", Plan: "free"},
			{ID: "buc-3", Plan: "free"}} {
			testkit.NoError(t, db.CreateAccount(ctx, a))
		}

		execute(t, db, `INSERT INTO users (id, account_id, email, email_verified, name, image, created_at, updated_at)
			VALUES ('user-1', 'acc-2', 'ileana.cosanzeana@exemplu.example', 1, '', '', 0, 0)`)
		for name, c := range map[string]struct {
			query, after string
			limit        int
			want         []string
		}{
			"all":               {"", "", 10, []string{"acc-1", "acc-2", "buc-3"}},
			"a page":            {"", "", 2, []string{"acc-1", "acc-2"}},
			"the next":          {"", "acc-2", 2, []string{"buc-3"}},
			"beginning of ids":  {"acc", "", 10, []string{"acc-1", "acc-2"}},
			"plan":              {"free", "", 10, []string{"acc-1", "buc-3"}},
			"address":           {"Ileana.Cosanzeana@", "", 10, []string{"acc-2"}},
			"part of a plan":    {"fre", "", 10, nil},
			"not a pattern":     {"%", "", 10, nil},
			"behind all others": {"acc", "buc-3", 10, nil},
		} {
			accounts, err := db.Accounts(ctx, c.query, c.after, c.limit)
			var got []string
			for _, a := range accounts {
				got = append(got, a.ID)
			}
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%s: got %v, %v, want %v", name, got, err, c.want)
			}
		}
	})
}

// Watchers are told when an account changes.
func TestWatch(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		d := account.NewDirectory(db, pepper, account.DefaultPrefix)
		secret := issue(t, db, d, account.Key{ID: "key-1"})
		plan := func() string {
			t.Helper()
			return testkit.Must(d.Key(ctx, secret)).Plan
		}
		stop := db.Watch(d.Forget)
		for _, want := range []string{"starter", "pro"} {
			testkit.NoError(t, db.SetPlan(ctx, "acc-1", want))
			testkit.Equal(t, plan(), want, "the plan")
		}

		stop()
		var notified atomic.Bool // by the listener too, on PostgreSQL
		defer db.Watch(func(string) { notified.Store(true) })()
		if err := db.SetPlan(ctx, "acc-1", "free"); err != nil || !notified.Load() {
			t.Errorf("the other watcher is not told (%v)", err)
		}
	})
}
