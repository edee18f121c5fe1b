package account

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/rodata/rodata/internal/recent"
	"github.com/rodata/rodata/internal/writebehind"
	"github.com/rodata/rodata/metering"
)

// Lifetimes of cached look-ups. After another process revokes a key, this process may still accept it for this long.
const (
	knownTTL   = 10 * time.Second
	unknownTTL = 5 * time.Second
)

// lookupTimeout bounds the look-up of a key or session in the store, so that an unresponsive network does not hold up
// callers.
const lookupTimeout = 5 * time.Second

// Sizes of the caches. Guessed keys have their own cache, so that they do not displace valid ones.
const (
	knownBound   = 16_384
	unknownBound = 4_096
)

// Directory looks up keys by their secrets, in a Store and a short-lived cache. It is safe for concurrent use.
type Directory struct {
	// Refused, if set, is called with the reason whenever a key is refused. Set it before the first use.
	Refused func(Refusal)
	// Guesses limit the failed look-ups in the store by address; nil sets no limit. Set it before the first use.
	Guesses *metering.Buckets

	store  Store
	prefix string
	macs   *sync.Pool // of *mac

	known   *recent.Memory[digest, Key]
	unknown *recent.Memory[digest, struct{}]
	used    *writebehind.Buffer[string, time.Time]

	flights atomic.Pointer[singleflight.Group] // look-ups in progress that no change has invalidated
}

// Refusal is the reason why a key is refused.
type Refusal string

// The reasons.
const (
	// BadChecksum: the key is malformed or mistyped; the store was not queried.
	BadChecksum Refusal = "checksum"
	// NotKnown: the key is unknown, revoked or expired.
	NotKnown Refusal = "unknown"
)

// NewDirectory returns a directory of the keys in store whose secrets begin with prefix and are hashed with pepper, the
// secret of the deployment (see LoadSecret).
func NewDirectory(store Store, pepper []byte, prefix string) *Directory {
	d := &Directory{
		store:   store,
		prefix:  prefix,
		macs:    newMACs(pepper),
		known:   recent.New[digest, Key](knownBound),
		unknown: recent.New[digest, struct{}](unknownBound),
		used:    newUses(store),
	}
	d.flights.Store(new(singleflight.Group))
	return d
}

// Key returns the key with a secret. It returns ErrUnknownKey if the secret is malformed, or the key is unknown,
// revoked or expired; the error does not reveal which, but a malformed secret is refused without querying the store. If
// the store does not answer, the error wraps ErrStoreDown. A revocation through Revoke takes effect at once, one by
// another process within 10 seconds.
func (d *Directory) Key(ctx context.Context, secret string) (Key, error) {
	return d.KeyFrom(ctx, secret, netip.Addr{})
}

// KeyFrom is like Key, for a caller at an address. After too many invalid secrets from that address, it returns
// *TooManyGuesses without querying the store. Secrets that were valid at the last look-up are not affected.
func (d *Directory) KeyFrom(ctx context.Context, secret string, from netip.Addr) (Key, error) {
	if !IsWellFormed(d.prefix, secret) {
		d.refuse(BadChecksum)
		return Key{}, ErrUnknownKey
	}

	key, err := d.find(ctx, secret, from)
	if err == ErrUnknownKey {
		d.refuse(NotKnown)
	}

	return key, err
}

func (d *Directory) refuse(why Refusal) {
	if d.Refused != nil {
		d.Refused(why)
	}
}

// find returns the key of a well-formed secret.
func (d *Directory) find(ctx context.Context, secret string, from netip.Addr) (Key, error) {
	id := d.digest(secret)
	now := time.Now()

	key, known := d.known.Get(id)
	if !known {
		if _, unknown := d.unknown.Get(id); unknown {
			return Key{}, ErrUnknownKey
		}

		var err error
		if key, err = d.ask(ctx, id, d.known.Has(id), from); err != nil {
			return Key{}, err
		}
	}

	if !key.ExpiresAt.IsZero() && !now.Before(key.ExpiresAt) {
		return Key{}, ErrUnknownKey
	}
	if !d.used.Has(key.ID) {
		d.used.Add(key.ID, now)
	}

	return key, nil
}

// Issue creates a key with the Account, Name, Parent and ExpiresAt of the given one. It returns the secret, which is
// not stored. It returns ErrTooManyKeys, ErrNoAccount, ErrUnknownKey if the Parent is no longer valid, or an error that
// wraps ErrStoreDown.
func (d *Directory) Issue(ctx context.Context, k Key) (_ Key, secret string, err error) {
	secret = NewSecret(d.prefix)
	k.ID, k.CreatedAt = NewID(), time.Now().UTC().Truncate(time.Millisecond)
	k.Prefix, k.Last4 = Ends(secret)
	if err := d.store.CreateKey(ctx, k, d.Hash(secret)); err != nil {
		return Key{}, "", orStoreDown(err, ErrTooManyKeys, ErrNoAccount, ErrUnknownKey)
	}

	return k, secret, nil
}

// Keys returns the account's active keys, the oldest first. The error wraps ErrStoreDown.
func (d *Directory) Keys(ctx context.Context, account string) ([]Key, error) {
	keys, err := d.store.ListKeys(ctx, account)
	return keys, orStoreDown(err)
}

// Revoke revokes one of the account's keys and its descendants. In this process, that takes effect at once. A caller
// who revokes with a key passes its id as by: this key and its descendants stay valid, unless it is the revoked key
// itself, so that a program can rotate its key. The error is ErrUnknownKey if the account has no such active key; it
// wraps ErrStoreDown if the store did not answer.
func (d *Directory) Revoke(ctx context.Context, account, id, by string) error {
	err := d.store.RevokeKey(ctx, account, id, by)
	d.Forget(account) // also after a failure, because the change may have been written
	return orStoreDown(err, ErrUnknownKey)
}

// Everyone stands for all accounts. A Store reports it if it does not know which account changed.
const Everyone = ""

// Forget drops the account's keys from the cache after a change.
func (d *Directory) Forget(account string) {
	d.flights.Store(new(singleflight.Group)) // later callers start a new look-up
	d.known.DeleteFunc(func(k Key) bool { return account == Everyone || k.Account == account })
}

// orStoreDown returns definite answers of the store unchanged; it maps all other errors to ErrStoreDown.
func orStoreDown(err error, answers ...error) error {
	if err == nil || slices.ContainsFunc(answers, func(answer error) bool { return errors.Is(err, answer) }) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrStoreDown, err)
}
