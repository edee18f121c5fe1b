package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"sync"
	"time"
)

// How long what was read from the store is believed. So this bounds how long a
// key revoked by another process is still accepted by this one.
const (
	knownTTL   = 10 * time.Second
	unknownTTL = 5 * time.Second
)

// How many keys are remembered; an attacker's inventions do not displace keys.
const (
	knownBound   = 16_384
	unknownBound = 4_096
)

// Directory finds keys by their secrets, in a Store and for some seconds in
// memory. It may be used concurrently.
type Directory struct {
	store  Store
	prefix string
	macs   sync.Pool // of *mac

	mu          sync.RWMutex
	known       memory[Key]
	unknown     memory[struct{}]
	revocations int // counts, so that an answer read before one is not remembered after it
}

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
	}
}

// Key finds the key with this secret. The error is ErrUnknownKey when it is
// malformed, which the store is not asked about, or unknown, revoked or expired,
// between which there is no difference to be seen; it wraps ErrStoreDown and the
// cause when the store could not be asked. A revocation through Revoke counts
// from the next call on, one by another process within 10 seconds.
func (d *Directory) Key(ctx context.Context, secret string) (Key, error) {
	if !CheckFormat(d.prefix, secret) {
		return Key{}, ErrUnknownKey
	}
	id := d.digest(secret)
	now := time.Now()

	d.mu.RLock()
	revocations := d.revocations
	key, known := d.known.get(id, now)
	_, unknown := d.unknown.get(id, now)
	d.mu.RUnlock()

	if unknown {
		return Key{}, ErrUnknownKey
	}
	if !known {
		var err error
		if key, err = d.ask(ctx, id, revocations); err != nil {
			return Key{}, err
		}
	}
	if !key.ExpiresAt.IsZero() && !now.Before(key.ExpiresAt) {
		return Key{}, ErrUnknownKey
	}
	return key, nil
}

// ask asks the store, and remembers the answer unless a key was revoked since
// revocations was read.
func (d *Directory) ask(ctx context.Context, id digest, revocations int) (Key, error) {
	asked := time.Now() // the answer is no older than the question
	key, err := d.store.KeyByHash(ctx, id[:])
	if err != nil && !errors.Is(err, ErrUnknownKey) {
		return Key{}, fmt.Errorf("%w: %w", ErrStoreDown, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case err != nil:
		d.unknown.put(id, struct{}{}, asked)
		return Key{}, ErrUnknownKey
	case revocations == d.revocations:
		d.known.put(id, key, asked)
	}
	return key, nil
}

// Revoke ends the validity of one of the account's keys, here at once. The error
// is ErrUnknownKey when the account has no such key or it is revoked already; it
// wraps ErrStoreDown and the cause when that could not be written.
func (d *Directory) Revoke(ctx context.Context, account, id string) error {
	err := d.store.RevokeKey(ctx, account, id)
	d.forget(id) // after a failure too: it may have been written all the same
	if err != nil && !errors.Is(err, ErrUnknownKey) {
		return fmt.Errorf("%w: %w", ErrStoreDown, err)
	}
	return err
}

func (d *Directory) forget(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.revocations++
	d.known.drop(func(k Key) bool { return k.ID == id })
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
