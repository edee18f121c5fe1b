package receipt

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/op"
)

const (
	// rotateAfter is the age of a key at which the next one is created.
	rotateAfter = 365 * 24 * time.Hour
	// publishAhead is the time for which a key is published before it signs. It is longer than verifiers and other
	// processes take to load a new key.
	publishAhead = time.Hour
	// keysMaxAge is the maximum time for which verifiers may cache the keys.
	keysMaxAge = 5 * time.Minute
)

// keyring holds the keys of all processes on one store, as of the last load.
type keyring struct {
	store  Store
	sealer account.Sealer
	logger *slog.Logger
	now    func() time.Time
	loaded atomic.Pointer[keys]
}

// keys are the keys at a given time.
type keys struct {
	all       []StoredKey // oldest first
	signing   []signingKey
	published op.Answer[*proof.SigningKeys]
}

// signingKey is a key with its decrypted private part.
type signingKey struct {
	StoredKey
	private ed25519.PrivateKey
}

// open loads the keys, and creates the first one.
func (r *keyring) open(ctx context.Context) error {
	if err := r.load(ctx); err != nil {
		return err
	}
	if _, err := r.current(); err == nil {
		return nil
	}

	if n := len(r.loaded.Load().all); n > 0 {
		r.logger.Warn("no key of receipts can be decrypted, so a new one is made; was the secret (RODATA_SECRET) "+
			"changed? Old receipts stay valid", "keys", n)
	}

	return r.add(ctx, 0)
}

// load reads the keys from the store. A key that cannot be decrypted does not sign.
func (r *keyring) load(ctx context.Context) error {
	all, err := r.store.Keys(ctx)
	if err != nil {
		return fmt.Errorf("reading the keys of receipts: %w", err)
	}

	k := &keys{all: all}
	published := &proof.SigningKeys{Keys: []proof.SigningKey{}}
	for _, stored := range slices.Backward(all) {
		published.Keys = append(published.Keys, publish(stored))
	}
	k.published.Value = published
	if k.published.Document, err = op.EncodeDocument(published); err != nil {
		return fmt.Errorf("encoding the keys of receipts: %w", err)
	}

	for _, stored := range all { // those without a private part have been retired
		if seed, err := r.sealer.Open(stored.ID, stored.Private); err == nil && len(seed) == ed25519.SeedSize {
			k.signing = append(k.signing, signingKey{stored, ed25519.NewKeyFromSeed(seed)})
		}
	}

	r.loaded.Store(k)
	return nil
}

// current returns the key that signs now: the newest key that has been published for long enough.
func (r *keyring) current() (signingKey, error) {
	now := r.now()
	for _, key := range slices.Backward(r.loaded.Load().signing) {
		if !key.Signs.After(now) {
			return key, nil
		}
	}

	return signingKey{}, errors.New("there is no key to sign receipts with")
}

// add creates the next key, which signs after a delay. If another process has just created a key with its number, add
// loads that key instead.
func (r *keyring) add(ctx context.Context, delay time.Duration) error {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return fmt.Errorf("creating a key of receipts: %w", err)
	}

	id, err := thumbprint(public)
	if err != nil {
		return err
	}

	now, number := r.now(), 1
	if all := r.loaded.Load().all; len(all) > 0 {
		number = all[len(all)-1].Number + 1
	}

	err = r.store.AddKey(ctx, StoredKey{
		Number: number, ID: id, Public: public, Private: r.sealer.Seal(id, private.Seed()),
		Created: now, Signs: now.Add(delay),
	})
	if err != nil && !errors.Is(err, ErrRotated) {
		return fmt.Errorf("storing a key of receipts: %w", err)
	}

	return r.load(ctx)
}

// rotate creates the next key. The current key signs until the new one has been published for long enough.
func (r *keyring) rotate(ctx context.Context) error {
	if err := r.load(ctx); err != nil {
		return err
	}
	return r.add(ctx, publishAhead)
}

// tidy loads the keys created by other processes, creates the next key if the newest one is old, and erases the private
// parts of retired keys.
func (r *keyring) tidy(ctx context.Context) error {
	if err := r.load(ctx); err != nil {
		return err
	}

	if all := r.loaded.Load().all; len(all) > 0 && r.now().Sub(all[len(all)-1].Created) >= rotateAfter {
		if err := r.add(ctx, publishAhead); err != nil {
			return err
		}
	}

	current, err := r.current()
	if err != nil {
		return err
	}
	// Another process may not have loaded the current key yet, and may still sign with the previous one.
	if r.now().Sub(current.Signs) < publishAhead {
		return nil
	}
	if err := r.store.ForgetPrivateKeys(ctx, current.Number); err != nil {
		return fmt.Errorf("erasing old keys of receipts: %w", err)
	}

	return nil
}
