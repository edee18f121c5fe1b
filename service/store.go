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
	if err := share(&s.shares, &s.Store, "the account store", place,
		func() (*store.DB, error) { return store.Open(context.Background(), place) }); err != nil {
		return err
	}

	if err := s.Store.CheckSecret(context.Background(), account.SecretFingerprint(s.secret)); err != nil {
		return err
	}

	s.Invoices, s.ping = billingstore.New(s.Store), s.Store.Ping
	s.Keys = account.NewDirectory(s.Store, s.secret, c.KeyPrefix)
	s.Keys.Refused, s.Keys.Guesses = s.core.meters.CountRefusedKey, s.core.buckets
	s.ends = append(s.ends, s.Store.Watch(s.Keys.Forget))
	s.background(func(ctx context.Context) {
		s.Keys.WriteUses(ctx, func(err error) { s.live.Error("recording when keys were used failed", "error", err) })
	})

	return nil
}

// openLedger takes a share in the ledger of credits. It must be called after openStore, so that the ledger is closed
// before the store.
func (s *Service) openLedger(*Config) error {
	return share(&s.shares, &s.ledger, "the ledger", s.Store,
		func() (*metering.Ledger, error) { return metering.NewLedger(s.Store, s.live), nil })
}
