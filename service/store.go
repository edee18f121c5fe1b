package service

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/store"
	billingstore "github.com/rodata/rodata/billing/store"
	"github.com/rodata/rodata/metering"
)

// openStore opens the account store and the directory of its keys.
func (s *Service) openStore(c *Config) error {
	place := c.Store.Location(c.DataDir)
	if err := share(&s.shares, &s.store, "the account store", place,
		func() (*store.DB, error) { return store.Open(context.Background(), place) }); err != nil {
		return err
	}

	if err := s.store.CheckSecret(context.Background(), account.SecretFingerprint(s.secret)); err != nil {
		return err
	}

	s.invoices, s.ping = billingstore.New(s.store), s.store.Ping
	s.keys = account.NewDirectory(s.store, s.secret, c.KeyPrefix)
	s.keys.Refused, s.keys.Guesses = s.core.meters.CountRefusedKey, s.core.buckets
	s.ends = append(s.ends, s.store.Watch(s.keys.Forget))
	s.background(func(ctx context.Context) {
		s.keys.WriteUses(ctx, func(err error) { s.live.Error("recording when keys were used failed", "error", err) })
	})

	return nil
}

// openLedger takes a share in the ledger of credits. It must be called after openStore, so that the ledger is closed
// before the store.
func (s *Service) openLedger(*Config) error {
	return share(&s.shares, &s.ledger, "the ledger", s.store,
		func() (*metering.Ledger, error) { return metering.NewLedger(s.store, s.live), nil })
}
