package caddymodule

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/store"
)

func init() { caddy.RegisterModule(new(SQLite)) }

// Store is a guest of the namespace rodata.stores: where accounts and keys are
// kept.
type Store interface {
	// Place names what Open opens. Configurations with the same place share one
	// store.
	Place(dataDir string) string
	// Open opens the store; it is not called while the place is open.
	Open(ctx context.Context, dataDir string) (account.Store, error)
}

// SQLite is the guest rodata.stores.sqlite: accounts in one file, owned by one
// process.
type SQLite struct {
	// Path is the file. Default: accounts.db in the data directory.
	Path string `json:"path,omitempty"`
}

// CaddyModule returns the guest's registration.
func (*SQLite) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "rodata.stores.sqlite", New: func() caddy.Module { return new(SQLite) }}
}

// UnmarshalCaddyfile reads:
//
//	store sqlite {
//		path <file>
//	}
func (s *SQLite) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the guest's name
	return options{"path": text(&s.Path)}.parse(d)
}

// Place is the path of the file.
func (s *SQLite) Place(dataDir string) string {
	path := caddy.NewReplacer().ReplaceAll(s.Path, "")
	return cmp.Or(path, filepath.Join(dataDir, "accounts.db"))
}

// Open opens the file.
func (s *SQLite) Open(ctx context.Context, dataDir string) (account.Store, error) {
	return store.OpenSQLite(ctx, s.Place(dataDir))
}

// sharedStore is an open store among what is shared.
type sharedStore struct{ account.Store }

type storeKey struct{ place string }

// Destruct closes the store.
func (s sharedStore) Destruct() error {
	if err := s.Close(); err != nil {
		return fmt.Errorf("closing the account store: %w", err)
	}
	return nil
}

var (
	_ Store                 = (*SQLite)(nil)
	_ caddyfile.Unmarshaler = (*SQLite)(nil)
)
