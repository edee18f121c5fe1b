package account

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/rodata/rodata/internal/panics"
	"github.com/rodata/rodata/metering"
)

// ask looks up a secret in the store. Concurrent callers from one network share a look-up (singleflight), since a
// client that starts with many calls would otherwise use up the guesses of its address with one valid key. The look-up
// continues if the caller who started it leaves. Proven reports that the secret was valid at the last look-up.
func (d *Directory) ask(ctx context.Context, id digest, proven bool, from netip.Addr) (Key, error) {
	network := metering.AddressBucket(from).Network.String()
	flight := d.flights.Load().DoChan(string(id[:])+network, func() (_ any, err error) {
		defer panics.Recover(&err) // singleflight would end the process
		return d.lookUp(context.WithoutCancel(ctx), id, proven, from)
	})

	select {
	case answer := <-flight:
		key, _ := answer.Val.(Key)
		return key, answer.Err
	case <-ctx.Done():
		return Key{}, ctx.Err()
	}
}

func (d *Directory) lookUp(ctx context.Context, id digest, proven bool, from netip.Addr) (Key, error) {
	remember := d.known.Reading()
	giveBack := func() {}
	if !proven {
		var err error
		if giveBack, err = d.admitGuess(from); err != nil {
			return Key{}, err
		}
	}

	asked := time.Now() // no later than the store's answer
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	key, err := d.store.KeyByHash(ctx, id[:])
	switch {
	case err == nil:
		remember(id, key, asked.Add(knownTTL))
	case errors.Is(err, ErrUnknownKey):
		d.known.Delete(id)
		d.unknown.PutUntil(id, struct{}{}, asked.Add(unknownTTL))
		return Key{}, ErrUnknownKey
	}

	giveBack()
	return key, orStoreDown(err)
}
