package caddymodule

import (
	"fmt"
	"log/slog"

	"github.com/rodata/rodata/metering"
)

// ledgerKey names the ledger over a store among what is shared.
type ledgerKey struct{ place string }

// sharedLedger is an open ledger among what is shared.
type sharedLedger struct{ *metering.Ledger }

// Destruct closes the ledger.
func (l sharedLedger) Destruct() error {
	if err := l.Close(); err != nil {
		return fmt.Errorf("closing the ledger: %w", err)
	}
	return nil
}

// openLedger opens the ledger over the service's store. It has to be leased after
// the store, so that it is closed before it.
func (s *service) openLedger(place string) error {
	shared, err := share(&s.shares, ledgerKey{place}, func() (sharedLedger, error) {
		return sharedLedger{metering.NewLedger(s.store, slog.New(liveLog{}))}, nil
	})
	s.ledger = shared.Ledger
	return err
}
