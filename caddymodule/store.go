package caddymodule

import (
	"context"
	"fmt"

	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/caddymodule/settings"
)

// openStore opens the store. It must not be open in this process.
func openStore(ctx context.Context, s *settings.Store, dataDir string) (*store.DB, error) {
	if s.Type == settings.Postgres {
		return store.OpenPostgres(ctx, s.URL)
	}
	return store.OpenSQLite(ctx, s.Place(dataDir))
}

// sharedStore is an open store that configurations share.
type sharedStore struct{ *store.DB }

type storeKey struct{ place string }

// Destruct closes the store.
func (s sharedStore) Destruct() error {
	if err := s.Close(); err != nil {
		return fmt.Errorf("closing the account store: %w", err)
	}
	return nil
}
