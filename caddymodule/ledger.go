package caddymodule

import (
	"fmt"
	"log/slog"

	"github.com/rodata/rodata/metering"
)

// ledgerKey identifies the shared ledger over a store.
type ledgerKey struct{ place string }

// sharedLedger is an open ledger that configurations share.
type sharedLedger struct{ *metering.Ledger }

// Destruct closes the ledger.
func (l sharedLedger) Destruct() error {
	if err := l.Close(); err != nil {
		return fmt.Errorf("closing the ledger: %w", err)
	}
	return nil
}

// openLedger opens the ledger over the service's store. It must be called after the store
// is open, so that the ledger is closed first.
func (s *service) openLedger(place string) error {
	shared, err := share(&s.shares, ledgerKey{place}, func() (sharedLedger, error) {
		return sharedLedger{metering.NewLedger(s.store, slog.New(liveLog{}))}, nil
	})
	s.ledger = shared.Ledger
	return err
}
