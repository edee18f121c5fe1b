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

// Store is where accounts and keys are kept.
type Store struct {
	// Type is sqlite, one file that one process owns, or postgres, a database that
	// several processes share. Default: sqlite.
	Type string `json:"type,omitempty"`
	// Path is the file of sqlite. Placeholders are resolved. Default: accounts.db in
	// the data directory.
	Path string `json:"path,omitempty"`
	// URL names the database of postgres: postgres://user:password@host:5432/database,
	// with libpq's parameters; ?sslmode=verify-full encrypts and checks whose server it
	// is. Give it as a placeholder, {env.RODATA_STORE} or {file./run/secrets/store}, so
	// that the configuration does not show the password. Required for postgres.
	URL string `json:"url,omitempty"`
}

const (
	sqlite   = "sqlite"
	postgres = "postgres"
)

// read reads one of:
//
//	store sqlite {
//		path <file>
//	}
//	store postgres {
//		url <url>
//	}
func (s *Store) read(d *caddyfile.Dispenser) error {
	if !d.Args(&s.Type) {
		return d.Errf("store needs a name: %s, %s", postgres, sqlite)
	}
	switch s.Type {
	case sqlite:
		return options{"path": text(&s.Path)}.parse(d)
	case postgres:
		return options{"url": text(&s.URL, checkStoreURL)}.parse(d)
	}
	return d.Errf("unknown store %q; there are: %s, %s", s.Type, postgres, sqlite)
}

// resolve resolves placeholders. A storeURL stands for the store postgres with it.
func (s *Store) resolve(repl *caddy.Replacer, storeURL string) (err error) {
	switch {
	case storeURL != "" && *s != (Store{}):
		return errors.New("accounts are kept in one place, and both store and store_url name one: remove one of them, or leave RODATA_STORE empty")
	case storeURL != "":
		*s = Store{Type: postgres, URL: storeURL}
		return nil
	}
	s.Type = cmp.Or(s.Type, sqlite)
	s.Path = repl.ReplaceAll(s.Path, "")
	if s.URL, err = repl.ReplaceOrErr(s.URL, true, true); err != nil {
		return fmt.Errorf("store: url: %w", err)
	}
	s.URL = strings.TrimRight(s.URL, "\r\n") // files end with a newline
	return nil
}

// validate refuses a store that could not be opened.
func (s *Store) validate() error {
	switch {
	case s.Type != sqlite && s.Type != postgres:
		return fmt.Errorf("%q is unknown: there are %s and %s", s.Type, postgres, sqlite)
	case s.Type == sqlite && s.URL != "":
		return errors.New("sqlite has no url; the store that has one is postgres")
	case s.Type == sqlite:
		return nil
	case s.Path != "":
		return errors.New("postgres has no path; the store that has one is sqlite")
	case s.URL == "":
		return errors.New("postgres needs a url, as in: url postgres://user:password@host:5432/database")
	}
	if err := checkStoreURL(s.URL); err != nil {
		return fmt.Errorf("url: %w", err)
	}
	return nil
}

// place names what open opens. Configurations with the same place share one store.
func (s *Store) place(dataDir string) string {
	if s.Type == postgres {
		return s.URL
	}
	return cmp.Or(s.Path, filepath.Join(dataDir, "accounts.db"))
}

// open opens the store; it is not called while the place is open.
func (s *Store) open(ctx context.Context, dataDir string) (*store.DB, error) {
	if s.Type == postgres {
		return store.OpenPostgres(ctx, s.URL)
	}
	return store.OpenSQLite(ctx, s.place(dataDir))
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
