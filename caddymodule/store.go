package caddymodule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/rodata/rodata/account/store"
)

func init() {
	caddy.RegisterModule(new(SQLite))
	caddy.RegisterModule(new(Postgres))
}

// Store is a guest of the namespace rodata.stores: where accounts and keys are
// kept.
type Store interface {
	// Place names what Open opens. Configurations with the same place share one
	// store.
	Place(dataDir string) string
	// Open opens the store; it is not called while the place is open.
	Open(ctx context.Context, dataDir string) (*store.DB, error)
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
func (s *SQLite) Open(ctx context.Context, dataDir string) (*store.DB, error) {
	return store.OpenSQLite(ctx, s.Place(dataDir))
}

// Postgres is the guest rodata.stores.postgres: accounts in a PostgreSQL database,
// which several processes share.
type Postgres struct {
	// URL names the database: postgres://user:password@host:5432/database, with
	// libpq's parameters; ?sslmode=verify-full encrypts and checks whose server it
	// is. Give it as a placeholder, {env.RODATA_STORE} or
	// {file./run/secrets/store}, so that the configuration does not show the
	// password. Required.
	URL string `json:"url,omitempty"`
}

// CaddyModule returns the guest's registration.
func (*Postgres) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "rodata.stores.postgres", New: func() caddy.Module { return new(Postgres) }}
}

// UnmarshalCaddyfile reads:
//
//	store postgres {
//		url <url>
//	}
func (p *Postgres) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the guest's name
	return options{"url": text(&p.URL, checkStoreURL)}.parse(d)
}

// Provision resolves the URL.
func (p *Postgres) Provision(caddy.Context) (err error) {
	if p.URL, err = caddy.NewReplacer().ReplaceOrErr(p.URL, true, true); err != nil {
		return fmt.Errorf("url: %w", err)
	}
	p.URL = strings.TrimRight(p.URL, "\r\n") // files end with a newline
	return nil
}

// Validate refuses a URL with which the store could not be opened.
func (p *Postgres) Validate() error {
	if p.URL == "" {
		return errors.New("store postgres needs a url, as in: url postgres://user:password@host:5432/database")
	}
	if err := checkStoreURL(p.URL); err != nil {
		return fmt.Errorf("url: %w", err)
	}
	return nil
}

// Place is the URL.
func (p *Postgres) Place(string) string { return p.URL }

// Open connects to the database.
func (p *Postgres) Open(ctx context.Context, _ string) (*store.DB, error) {
	return store.OpenPostgres(ctx, p.URL)
}

// checkStoreURL says whether a URL, if it is not empty, names a kind of store that
// there is. The error does not quote the URL: that may hold a password.
func checkStoreURL(url string) error {
	scheme, _, found := strings.Cut(url, "://")
	switch {
	case url == "":
		return nil
	case !found || scheme != "postgres" && scheme != "postgresql":
		return errors.New("it names neither of the stores there are: PostgreSQL, as postgres://user:password@host:5432/database, and SQLite, for which store_url (RODATA_STORE) is left empty")
	}
	return store.CheckPostgresURL(url)
}

// sharedStore is an open store among what is shared.
type sharedStore struct{ *store.DB }

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
	_ Store                 = (*Postgres)(nil)
	_ caddyfile.Unmarshaler = (*Postgres)(nil)
	_ caddy.Provisioner     = (*Postgres)(nil)
	_ caddy.Validator       = (*Postgres)(nil)
)
