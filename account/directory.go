package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/rodata/rodata/metering"
)

// How long what was read from the store is believed. So this bounds how long a
// key revoked by another process is still accepted by this one.
const (
	knownTTL   = 10 * time.Second
	unknownTTL = 5 * time.Second
)

// lookupTimeout bounds the search for a key or a session in the store: a network that
// swallows everything must not hold callers for longer.
const lookupTimeout = 5 * time.Second

// How many keys are remembered; an attacker's inventions do not displace keys.
const (
	knownBound   = 16_384
	unknownBound = 4_096
)

// Directory finds keys by their secrets, in a Store and for some seconds in
// memory. It may be used concurrently.
type Directory struct {
	// Refused, when set, is told why a key is not accepted; it is set before the
	// directory is used.
	Refused func(Refusal)
	// Guesses bound how many secrets of an address the store is asked about in vain;
	// nil bounds nothing. It is set before the directory is used.
	Guesses *metering.Buckets

	store  Store
	prefix string
	macs   sync.Pool // of *mac

	mu      sync.RWMutex
	known   memory[Key]
	unknown memory[struct{}]
	changes int                  // counts, so that an answer read before one is not remembered after it
	used    map[string]time.Time // by key id: uses that are not written yet

	questions map[digest]*question // lookups under way that no change has overtaken
}

// Refusal is why a key is not accepted.
type Refusal string

// The refusals.
const (
	// BadChecksum: it is no key at all, or mistyped; the store was not asked.
	BadChecksum Refusal = "checksum"
	// NotKnown: it is unknown, revoked or expired.
	NotKnown Refusal = "unknown"
)

// digest is the hash of a secret.
type digest [sha256.Size]byte

// NewDirectory makes a directory of the keys in store whose secrets begin with
// prefix and are hashed with pepper, which LoadSecret returns.
func NewDirectory(store Store, pepper []byte, prefix string) *Directory {
	return &Directory{
		store:   store,
		prefix:  prefix,
		macs:    sync.Pool{New: func() any { return &mac{Hash: hmac.New(sha256.New, pepper)} }},
		known:   newMemory[Key](knownTTL, knownBound),
		unknown: newMemory[struct{}](unknownTTL, unknownBound),
		used:    make(map[string]time.Time),

		questions: make(map[digest]*question),
	}
}

// Key finds the key with this secret. The error is ErrUnknownKey when it is
// malformed, which the store is not asked about, or unknown, revoked or expired,
// between which there is no difference to be seen; it wraps ErrStoreDown and the
// cause when the store could not be asked. A revocation through Revoke counts
// from the next call on, one by another process within 10 seconds.
func (d *Directory) Key(ctx context.Context, secret string) (Key, error) {
	return d.KeyFrom(ctx, secret, netip.Addr{})
}

// KeyFrom is Key for a caller at an address. Beyond so many secrets from there that
// are not valid, the error is a *TooManyGuesses, and the store is not asked; secrets
// that were valid when it was last asked are none the worse for it.
func (d *Directory) KeyFrom(ctx context.Context, secret string, from netip.Addr) (Key, error) {
	if !CheckFormat(d.prefix, secret) {
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

// find finds the key of a well-formed secret.
func (d *Directory) find(ctx context.Context, secret string, from netip.Addr) (Key, error) {
	id := d.digest(secret)
	now := time.Now()

	d.mu.RLock()
	key, known := d.known.get(id, now)
	_, vouched := d.known.entries[id] // however long ago
	_, unknown := d.unknown.get(id, now)
	_, noted := d.used[key.ID]
	d.mu.RUnlock()

	if unknown {
		return Key{}, ErrUnknownKey
	}
	if !known {
		var err error
		if key, err = d.ask(ctx, id, vouched, from); err != nil {
			return Key{}, err
		}
	}
	if !key.ExpiresAt.IsZero() && !now.Before(key.ExpiresAt) {
		return Key{}, ErrUnknownKey
	}
	if !noted {
		d.noteUse(key.ID, now)
	}
	return key, nil
}

// Issue makes a key of an account: Account, Name, Parent and ExpiresAt are the
// given key's, the rest is new. The secret is told here and nowhere else. The
// error is ErrTooManyKeys, ErrNoAccount, or ErrUnknownKey when the Parent is one no
// more; or it wraps ErrStoreDown and the cause.
func (d *Directory) Issue(ctx context.Context, k Key) (_ Key, secret string, err error) {
	secret = NewSecret(d.prefix)
	k.ID, k.CreatedAt = NewID(), time.Now().UTC().Truncate(time.Millisecond)
	k.Prefix, k.Last4 = Ends(secret)
	if err := d.store.CreateKey(ctx, k, d.Hash(secret)); err != nil {
		return Key{}, "", answered(err, ErrTooManyKeys, ErrNoAccount, ErrUnknownKey)
	}
	return k, secret, nil
}

// Keys are the account's keys that are not revoked, the oldest first. The error
// wraps ErrStoreDown and the cause.
func (d *Directory) Keys(ctx context.Context, account string) ([]Key, error) {
	keys, err := d.store.ListKeys(ctx, account)
	return keys, answered(err)
}

// Revoke ends the validity of one of the account's keys, and of those that were
// made with it, here at once. A caller who revokes with a key passes its id as by:
// that key and those made with it stay valid unless it is the revoked one, so a
// program can rotate its key. The error is ErrUnknownKey when the account has no
// such key or it is revoked already; it wraps ErrStoreDown and the cause when
// that could not be written.
func (d *Directory) Revoke(ctx context.Context, account, id, by string) error {
	err := d.store.RevokeKey(ctx, account, id, by)
	d.Forget(account) // after a failure too: it may have been written all the same
	return answered(err, ErrUnknownKey)
}

// Everyone is who has changed when a Store cannot tell whose account it was.
const Everyone = ""

// Forget has the next use of each of the account's keys looked up in the store,
// since something about them has changed.
func (d *Directory) Forget(account string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.changes++
	clear(d.questions) // whoever comes from now on asks anew
	d.known.drop(func(k Key) bool { return account == Everyone || k.Account == account })
}

// answered is an error of the store: one of its answers, or else a sign that it
// is down.
func answered(err error, answers ...error) error {
	if err == nil || slices.ContainsFunc(answers, func(answer error) bool { return errors.Is(err, answer) }) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrStoreDown, err)
}

// Hash is what a Store keeps of a secret: its HMAC-SHA-256 under the pepper. At
// 190 random bits a secret needs no slow hash.
func (d *Directory) Hash(secret string) []byte {
	id := d.digest(secret)
	return id[:]
}

// mac is an HMAC with room for its input and output, kept to spare allocations.
type mac struct {
	hash.Hash
	input  []byte
	output digest
}

// purpose keeps these hashes apart from others made with the same secret.
const purpose = "api key\x00"

func (d *Directory) digest(secret string) digest {
	m := d.macs.Get().(*mac)
	defer d.macs.Put(m)
	m.Reset()
	m.input = append(append(m.input[:0], purpose...), secret...)
	m.Write(m.input)
	clear(m.input)
	m.Sum(m.output[:0])
	return m.output
}
