package store_test

import (
	"errors"
	"testing"
	"time"

	accounts "github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/billing/store"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/accountstore"
)

// Only one process at a time renews a token, and a token saved in the meantime is not overwritten.
func TestTokensAreHeldByOne(t *testing.T) {
	accountstore.Each(t, func(t *testing.T, db *accounts.DB) {
		tokens, ctx, now := store.New(db), t.Context(), time.Now()
		hold := func(at time.Time, want string, wanted error) {
			t.Helper()
			if got, err := tokens.LockToken(ctx, "one", at, at.Add(time.Minute)); string(got) != want ||
				!errors.Is(err, wanted) {
				t.Errorf("LockToken returned %q, %v", got, err)
			}
		}
		keep := func(was, is string, wanted error) {
			t.Helper()
			testkit.ErrorIs(t, tokens.SaveToken(ctx, "one", []byte(was), []byte(is)), wanted, "saving %s", is)
		}
		if got, err := tokens.Token(ctx, "one"); got != nil || err != nil {
			t.Errorf("there is %q, %v", got, err)
		}

		hold(now, "", nil)
		hold(now, "", efactura.ErrRenewing)
		testkit.NoError(t, testkit.Err(tokens.LockToken(ctx, "another", now, now.Add(time.Minute))), "another one")

		keep("", "first", nil)
		hold(now, "first", nil)
		if err := tokens.UnlockToken(ctx, "one", now.Add(time.Hour)); err != nil { // held by another process
			t.Error(err)
		}

		hold(now, "", efactura.ErrRenewing)
		testkit.NoError(t, tokens.UnlockToken(ctx, "one", now.Add(time.Minute)))

		hold(now, "first", nil)
		hold(now.Add(2*time.Minute), "first", nil) // the first holder has died
		keep("first", "second", nil)
		keep("first", "of the dead", efactura.ErrRenewing)
		if got, err := tokens.Token(ctx, "one"); string(got) != "second" || err != nil {
			t.Errorf("there is %q, %v", got, err)
		}
	})
}
