package account

import (
	"context"
	"errors"
	"net/netip"
	"time"
)

// flight is a look-up in the store, shared by all callers with the same secret (singleflight).
type flight struct {
	done chan struct{}
	// The store's answer; read it after done is closed. Without an answer, because the leader left or was refused,
	// answered is false and another caller must query the store.
	key      Key
	err      error
	answered bool
}

// ask looks up a secret in the store. Concurrent callers share one look-up, since a client that starts with many calls
// would otherwise use up the guesses of its address with one valid key. Proven reports that the secret was valid at the
// last look-up.
func (d *Directory) ask(ctx context.Context, id digest, proven bool, from netip.Addr) (Key, error) {
	for {
		f, leads := d.join(id)
		if leads {
			return d.lookUp(ctx, id, f, proven, from)
		}

		select {
		case <-f.done:
		case <-ctx.Done():
			return Key{}, ctx.Err()
		}

		if f.answered {
			return f.key, f.err
		}
	}
}

// join joins the look-up of a secret in progress, or starts one, which the caller then leads.
func (d *Directory) join(id digest) (f *flight, leads bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.flights[id]; f != nil {
		return f, false
	}

	f = &flight{done: make(chan struct{})}
	d.flights[id] = f
	return f, true
}

// lookUp queries the store as the leader of a flight, and caches the answer.
func (d *Directory) lookUp(ctx context.Context, id digest, f *flight, proven bool, from netip.Addr) (Key, error) {
	remember := d.known.Reading()
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.flights[id] == f {
			delete(d.flights, id)
		}

		close(f.done)
	}()

	giveBack := func() {}
	if !proven {
		var err error
		if giveBack, err = d.admitGuess(from); err != nil {
			return Key{}, err
		}
	}

	asked := time.Now() // no later than the store's answer
	limited, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	f.key, f.err = d.store.KeyByHash(limited, id[:])
	if f.err = orStoreDown(f.err, ErrUnknownKey); !errors.Is(f.err, ErrUnknownKey) {
		giveBack()
	}

	f.answered = f.err == nil || ctx.Err() == nil
	switch {
	case errors.Is(f.err, ErrUnknownKey):
		f.key, f.err = Key{}, ErrUnknownKey
		d.known.Delete(id)
		d.unknown.PutUntil(id, struct{}{}, asked.Add(unknownTTL))
	case f.err == nil:
		remember(id, f.key, asked.Add(knownTTL))
	}

	return f.key, f.err
}
