package service

import (
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/accountstore"
)

// onPostgres starts a gateway with accounts in the database at url, and returns a function that ends it.
func onPostgres(t *testing.T, url string) (s *Service, end func()) {
	t.Helper()
	t.Setenv("RODATA_TEST_STORE", url+"\n") // as a file ends
	s = openTest(t, `{"data_dir": "`+t.TempDir()+
		`", "secret": "a secret for tests", "store_url": "{env.RODATA_TEST_STORE}", "upstreams": `+noUpstreams+`}`)
	return s, func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Gateways on one database accept each other's keys, and reject keys that another gateway has revoked.
func TestGatewaysShareADatabase(t *testing.T) {
	url := accountstore.Postgres(t)
	here, end := onPostgres(t, url)
	defer end()
	elsewhere, end := onPostgres(t, url)
	defer end()
	ctx := t.Context()
	if err := here.Ready(ctx); err != nil {
		t.Error(err)
	}
	testkit.NoError(t, here.Store.CreateAccount(ctx,
		account.Account{ID: "acc-1", Plan: "free", CreatedAt: time.Now()}))

	ours, theirs := here.Keys, elsewhere.Keys
	key, secret, err := ours.Issue(ctx, account.Key{Account: "acc-1", Name: "ERP"})
	testkit.NoError(t, err)
	if got, err := theirs.Key(ctx, secret); err != nil || got.ID != key.ID {
		t.Fatalf("elsewhere: got %+v, %v", got, err)
	}
	testkit.NoError(t, ours.Revoke(ctx, "acc-1", key.ID, ""))

	testkit.Until(t, "the key is unknown elsewhere", func() bool {
		_, err := theirs.Key(ctx, secret)
		return err == account.ErrUnknownKey
	})
}

// A replaced configuration learns of revoked keys until its last request has ended, and then writes the pending uses
// of keys.
func TestUsesAreWrittenWhenAServiceEnds(t *testing.T) {
	url := accountstore.Postgres(t)
	s, end := onPostgres(t, url)
	ctx := t.Context()
	testkit.NoError(t, s.Store.CreateAccount(ctx,
		account.Account{ID: "acc-1", Plan: "free", CreatedAt: time.Now()}))

	_, secret, err := s.Keys.Issue(ctx, account.Key{Account: "acc-1", Name: "ERP"})
	testkit.NoError(t, err)
	if _, err := s.Keys.Key(ctx, secret); err != nil {
		t.Fatal(err)
	}

	end()
	s, end = onPostgres(t, url)
	defer end()
	keys, err := s.Store.ListKeys(ctx, "acc-1")
	if err != nil || len(keys) != 1 || time.Since(keys[0].LastUsedAt) > time.Minute {
		t.Errorf("got %+v, %v", keys, err)
	}
}

// If a database cannot be reached, the gateway does not start, and the error does not contain the password.
func TestUnreachableDatabase(t *testing.T) {
	_, err := Open(testConfig(t, `{"data_dir": "`+t.TempDir()+
		`", "store_url": "postgres://rodata:parolasecreta@127.0.0.1:1/conturi?connect_timeout=1"}`))
	if err == nil || !strings.Contains(err.Error(), "database conturi on 127.0.0.1:1") ||
		strings.Contains(err.Error(), "parolasecreta") {
		t.Errorf("got %v", err)
	}
}
