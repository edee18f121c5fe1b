package api

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit/gateway"
)

// fakeKeyring keeps keys in the order of issue.
type fakeKeyring struct {
	keys []account.Key
	err  error
}

const issuedSecret = "rodata_live_4GrK"

func (f *fakeKeyring) Issue(_ context.Context, k account.Key) (account.Key, string, error) {
	if f.err != nil {
		return account.Key{}, "", f.err
	}

	k.ID, k.Prefix, k.Last4, k.CreatedAt = account.NewID(), "rodata_live_4GrK", "wMwH",
		time.Date(2026, 11, 20, 9, 30, 0, 123e6, time.UTC)
	f.keys = append(f.keys, k)
	return k, issuedSecret, nil
}

func (f *fakeKeyring) Keys(_ context.Context, owner string) (keys []account.Key, _ error) {
	for _, k := range f.keys {
		if k.Account == owner {
			keys = append(keys, k)
		}
	}

	return keys, f.err
}

func (f *fakeKeyring) Revoke(_ context.Context, owner, id, _ string) error {
	i := slices.IndexFunc(f.keys, func(k account.Key) bool { return k.ID == id && k.Account == owner })
	if f.err != nil || i < 0 {
		return errors.Join(f.err, account.ErrUnknownKey)
	}

	f.keys = slices.Delete(f.keys, i, i+1)
	return nil
}

// fakeSessions knows one session, of gateway.GoodKey's account, and can be down.
type fakeSessions struct{ down error }

const goodCookie = "theme=dark; better-auth.session_token=good"

func (f fakeSessions) Session(_ context.Context, _, cookie string) (account.Session, error) {
	switch {
	case f.down != nil:
		return account.Session{}, f.down
	case cookie == goodCookie:
		return account.Session{ID: "session1", User: "user1", Account: "account1", Plan: "pro"}, nil
	}

	return account.Session{}, account.ErrNoSession
}

// A key remembers the key that made it, with which it is revoked.
func TestKeyHasAParent(t *testing.T) {
	ring := new(fakeKeyring)
	operations := Operations(Registries{Keys: ring}, metering.DefaultPlans(), system.About{})
	o, _ := gateway.Find(operations, "POST", "/v1/keys")
	gateway.New(t).Do(t.Context(), o, &op.Call{APIKey: gateway.GoodKey, Args: op.Args{{Name: "name", Text: "ERP"}}})
	if made := ring.keys[0]; made.Account != "account1" || made.Parent != "key1" {
		t.Errorf("made as %+v", made)
	}
}
