package account

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/testkit"
)

var pepper = []byte("a pepper for tests")

// memoryStore is a Store in memory that counts its calls.
type memoryStore struct {
	mu      sync.Mutex
	keys    map[string]Key // by hash
	queries int
	failure error
	touched []map[string]time.Time
	before  func() // runs after a look-up has read its answer, before it returns
}

func (s *memoryStore) KeyByHash(_ context.Context, hash []byte) (Key, error) {
	s.mu.Lock()
	s.queries++
	key, ok := s.keys[string(hash)]
	failure, before := s.failure, s.before
	s.mu.Unlock()
	if before != nil {
		before()
	}

	switch {
	case failure != nil:
		return Key{}, failure
	case !ok:
		return Key{}, ErrUnknownKey
	}

	return key, nil
}

func (s *memoryStore) CreateKey(_ context.Context, k Key, hash []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure == nil {
		s.keys[string(hash)] = k
	}

	return s.failure
}

func (s *memoryStore) ListKeys(_ context.Context, account string) (keys []Key, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range s.keys {
		if key.Account == account {
			keys = append(keys, key)
		}
	}

	return keys, s.failure
}

func (s *memoryStore) RevokeKey(_ context.Context, account, id, _ string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for hash, key := range s.keys {
		if key.ID == id && key.Account == account {
			delete(s.keys, hash)
			return nil
		}
	}

	return ErrUnknownKey
}

func (s *memoryStore) TouchKeys(_ context.Context, used map[string]time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure == nil {
		s.touched = append(s.touched, used)
	}

	return s.failure
}

// stocked returns a directory over a store with one key, and the key's secret.
func stocked() (d *Directory, s *memoryStore, secret string) {
	s = &memoryStore{keys: make(map[string]Key)}
	d = NewDirectory(s, pepper, DefaultPrefix)
	secret = NewSecret(DefaultPrefix)
	s.keys[string(d.Hash(secret))] = Key{ID: "key-1", Account: "acc-1", Plan: "free"}
	return d, s, secret
}

func TestMalformedNeedsNoQuery(t *testing.T) {
	d, s, secret := stocked()
	for name, wrong := range map[string]string{
		"empty":        "",
		"checksum":     secret[:len(secret)-1] + string(secret[len(secret)-1]^1),
		"other prefix": NewSecret("demo_live_"),
		"too long":     secret + strings.Repeat("0", 1_000_000),
	} {
		testkit.Equal(t, testkit.Err(d.Key(t.Context(), wrong)), ErrUnknownKey, name)
	}

	testkit.Equal(t, s.queries, 0, "queries of the store")
	other := NewDirectory(s, []byte("another pepper"), DefaultPrefix)
	testkit.Equal(t, testkit.Err(other.Key(t.Context(), secret)), ErrUnknownKey, "hashed with another pepper")
}

func TestAnswersAreRememberedForSeconds(t *testing.T) {
	for name, test := range map[string]struct {
		secret func(known string) string
		ttl    time.Duration
		want   error
	}{
		"known":   {func(known string) string { return known }, 10 * time.Second, nil},
		"unknown": {func(string) string { return NewSecret(DefaultPrefix) }, 5 * time.Second, ErrUnknownKey},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, s, secret := stocked()
				secret = test.secret(secret)
				ask := func(queries int) {
					t.Helper()
					if _, err := d.Key(t.Context(), secret); err != test.want {
						t.Fatalf("got %v", err)
					}
					if s.queries != queries {
						t.Fatalf("%d queries, want %d", s.queries, queries)
					}
				}
				ask(1)
				<-time.After(test.ttl - 1)
				ask(1)
				<-time.After(1)
				ask(2)
			})
		})
	}
}

func TestExpiryIsKeptInMemoryToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, s, secret := stocked()
		s.keys[string(d.Hash(secret))] = Key{ID: "key-1", ExpiresAt: time.Now().Add(time.Second)}
		testkit.NoError(t, testkit.Err(d.Key(t.Context(), secret)))

		<-time.After(time.Second)
		testkit.Equal(t, testkit.Err(d.Key(t.Context(), secret)), ErrUnknownKey, "an expired key")
	})
}

func TestFailuresAreNotRemembered(t *testing.T) {
	d, s, secret := stocked()
	s.failure = errors.New("disk on fire")
	if _, err := d.Key(t.Context(), secret); !errors.Is(err, ErrStoreDown) || !errors.Is(err, s.failure) {
		t.Errorf("got %v", err)
	}

	s.failure = nil
	testkit.NoError(t, testkit.Err(d.Key(t.Context(), secret)), "after the store is back")

	s.failure = errors.New("disk on fire")
	if _, err := d.Key(t.Context(), secret); err != nil {
		t.Errorf("a remembered key got %v while the store is down", err)
	}
}

func TestRevokeCountsAtOnce(t *testing.T) {
	d, _, secret := stocked()
	ctx := t.Context()
	testkit.NoError(t, testkit.Err(d.Key(ctx, secret)))
	testkit.Equal(t, d.Revoke(ctx, "acc-2", "key-1", ""), ErrUnknownKey, "another account revoked the key")
	testkit.NoError(t, testkit.Err(d.Key(ctx, secret)), "after the attempt of another account")
	testkit.NoError(t, d.Revoke(ctx, "acc-1", "key-1", ""))
	testkit.Equal(t, testkit.Err(d.Key(ctx, secret)), ErrUnknownKey, "the next call")
	testkit.Equal(t, d.Revoke(ctx, "acc-1", "key-1", ""), ErrUnknownKey, "the second revocation")
}

func TestRevokeDuringALookup(t *testing.T) {
	d, s, secret := stocked()
	s.before = func() { // the look-up holds its answer while the key is revoked
		s.before = nil
		if err := d.Revoke(t.Context(), "acc-1", "key-1", ""); err != nil {
			t.Error(err)
		}
	}
	d.Key(t.Context(), secret) // was in progress: either answer is correct
	testkit.Equal(t, testkit.Err(d.Key(t.Context(), secret)), ErrUnknownKey, "the call after the revocation")
}

func TestInventedKeysDoNotDisplaceKeys(t *testing.T) {
	d, s, secret := stocked()
	testkit.NoError(t, testkit.Err(d.Key(t.Context(), secret)))

	for range 2 * unknownBound {
		d.Key(t.Context(), NewSecret(DefaultPrefix))
	}
	if n := d.unknown.Len(); n > unknownBound {
		t.Errorf("%d wrong keys are remembered", n)
	}

	asked := s.queries
	if _, err := d.Key(t.Context(), secret); err != nil || s.queries != asked {
		t.Errorf("the key was displaced (%v)", err)
	}
}

func TestIssue(t *testing.T) {
	d, s, _ := stocked()
	key, secret, err := d.Issue(t.Context(), Key{Account: "acc-1", Name: "ERP", Parent: "key-1"})
	testkit.NoError(t, err)

	prefix, last4 := Ends(secret)
	if key.ID == "" || key.Account != "acc-1" || key.Name != "ERP" || key.Parent != "key-1" || key.Prefix != prefix ||
		key.Last4 != last4 ||
		time.Since(key.CreatedAt) > time.Minute || key.CreatedAt.Nanosecond()%1e6 != 0 {
		t.Errorf("issued %+v", key)
	}

	testkit.Equal(t, testkit.Must(d.Key(t.Context(), secret)).ID, key.ID, "the key")

	for name, c := range map[string]struct{ failure, want error }{
		"too many":   {ErrTooManyKeys, ErrTooManyKeys},
		"closed":     {ErrNoAccount, ErrNoAccount},
		"store down": {errors.New("disk on fire"), ErrStoreDown},
	} {
		s.failure = c.failure
		if _, secret, err := d.Issue(t.Context(), Key{Account: "acc-1"}); !errors.Is(err, c.want) || secret != "" {
			t.Errorf("%s: got %q, %v", name, secret, err)
		}
	}

	testkit.ErrorIs(t, testkit.Err(d.Keys(t.Context(), "acc-1")), ErrStoreDown, "listing while the store is down")
}

func TestRefusalsAreReported(t *testing.T) {
	d, s, secret := stocked()
	var reasons []Refusal
	d.Refused = func(why Refusal) { reasons = append(reasons, why) }
	unknown := NewSecret(DefaultPrefix)
	for _, try := range []string{secret, "mistyped", unknown, unknown} { // the last one from memory
		d.Key(t.Context(), try)
	}

	s.failure = errors.New("disk on fire")
	d.Key(t.Context(), NewSecret(DefaultPrefix)) // not refused: validity is unknown
	testkit.Equal(t, reasons, []Refusal{BadChecksum, NotKnown, NotKnown}, "the reasons passed to Refused")
}

// A change of an account affects only its own keys.
func TestForget(t *testing.T) {
	d, s, secret := stocked()
	other := NewSecret(DefaultPrefix)
	s.keys[string(d.Hash(other))] = Key{ID: "key-2", Account: "acc-2", Plan: "free"}
	d.Key(t.Context(), secret)
	d.Key(t.Context(), other)
	for _, k := range []struct{ secret, account string }{{secret, "acc-1"}, {other, "acc-2"}} {
		key := s.keys[string(d.Hash(k.secret))]
		key.Plan = "pro"
		s.keys[string(d.Hash(k.secret))] = key
	}

	d.Forget("acc-1")
	testkit.Equal(t, testkit.Must(d.Key(t.Context(), secret)).Plan, "pro")
	testkit.Equal(t, testkit.Must(d.Key(t.Context(), other)).Plan, "free", "the other account")

	d.Forget(Everyone)
	testkit.Equal(t, testkit.Must(d.Key(t.Context(), other)).Plan, "pro", "after a change of all accounts")
}

// silent is a store that never responds.
type silent struct{ Store }

func (silent) KeyByHash(ctx context.Context, _ []byte) (Key, error) {
	<-ctx.Done()
	return Key{}, ctx.Err()
}

func (silent) SessionByHash(ctx context.Context, _ []byte) (Session, error) {
	<-ctx.Done()
	return Session{}, ctx.Err()
}

// The look-up of a key or session has a time limit.
func TestLookupsEnd(t *testing.T) {
	for name, find := range map[string]func(context.Context) error{
		"key": func(ctx context.Context) error {
			_, err := NewDirectory(silent{}, pepper, DefaultPrefix).find(ctx, "a secret", netip.Addr{})
			return err
		},
		"session": func(ctx context.Context) error {
			_, err := NewSessions(silent{}).Find(ctx, [sha256.Size]byte{})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				if err, took := find(t.Context()), time.Since(began); !errors.Is(err, ErrStoreDown) ||
					took != lookupTimeout {
					t.Errorf("got %v after %v", err, took)
				}
			})
		})
	}
}
