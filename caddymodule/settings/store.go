package settings

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/internal/database"
)

// Store configures the database of accounts and keys.
type Store struct {
	// Type is sqlite, for a file that one process owns, or postgres, for a database that several processes can share.
	// Default: sqlite.
	Type string `json:"type,omitempty"`
	// Path is the file of sqlite. Placeholders are resolved. Default: accounts.db in the data directory.
	Path string `json:"path,omitempty"`
	// URL is the address of the PostgreSQL database: postgres://user:password@host:5432/database, with libpq's
	// parameters. With ?sslmode=verify-full, the connection is encrypted and the server's certificate is verified.
	// Give it as a placeholder, {env.RODATA_STORE} or {file./run/secrets/store}, so that the configuration does not
	// show the password. Required for postgres.
	URL string `json:"url,omitempty"`
}

// The types of stores.
const (
	SQLite   = "sqlite"
	Postgres = "postgres"
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
		return d.Errf("store needs a name: %s, %s", Postgres, SQLite)
	}

	switch s.Type {
	case SQLite:
		return option.Table{"path": option.Text(&s.Path)}.Parse(d)
	case Postgres:
		return option.Table{"url": option.Text(&s.URL, checkStoreURL)}.Parse(d)
	}

	return d.Errf("unknown store %q; there are: %s, %s", s.Type, Postgres, SQLite)
}

// resolve replaces placeholders. A storeURL that is not empty selects the type postgres with this URL.
func (s *Store) resolve(repl *caddy.Replacer, storeURL string) (err error) {
	switch {
	case storeURL != "" && *s != (Store{}):
		return errors.New("both store and store_url are set: remove one of them, or leave RODATA_STORE empty")
	case storeURL != "":
		*s = Store{Type: Postgres, URL: storeURL}
		return nil
	}

	s.Type = cmp.Or(s.Type, SQLite)
	s.Path = repl.ReplaceAll(s.Path, "")
	if s.URL, err = repl.ReplaceOrErr(s.URL, true, true); err != nil {
		return fmt.Errorf("store: url: %w", err)
	}

	s.URL = strings.TrimRight(s.URL, "\r\n") // files end with a newline
	return nil
}

// validate rejects a store that could not be opened.
func (s *Store) validate() error {
	switch {
	case s.Type != SQLite && s.Type != Postgres:
		return fmt.Errorf("%q is unknown; use %s or %s", s.Type, Postgres, SQLite)
	case s.Type == SQLite && s.URL != "":
		return errors.New("a sqlite store takes no url; remove it, or use store postgres")
	case s.Type == SQLite:
		return nil
	case s.Path != "":
		return errors.New("a postgres store takes no path; remove it, or use store sqlite")
	case s.URL == "":
		return errors.New("postgres needs a url, as in: url postgres://user:password@host:5432/database")
	}

	if err := checkStoreURL(s.URL); err != nil {
		return fmt.Errorf("url: %w", err)
	}
	return nil
}

// Location identifies the store: configurations with the same place share one.
func (s *Store) Location(dataDir string) string {
	if s.Type == Postgres {
		return s.URL
	}
	return cmp.Or(s.Path, filepath.Join(dataDir, "accounts.db"))
}

// checkStoreURL rejects URLs of unsupported databases. An empty URL is valid. Errors do not contain the URL, because
// it may contain a password.
func checkStoreURL(url string) error {
	scheme, _, found := strings.Cut(url, "://")
	switch {
	case url == "":
		return nil
	case !found || scheme != "postgres" && scheme != "postgresql":
		return errors.New("unknown kind of store: use postgres://user:password@host:5432/database, or leave " +
			"store_url (RODATA_STORE) empty for SQLite")
	}

	_, err := database.PostgresConfig(url)
	return err
}
