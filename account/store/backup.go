package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pressly/goose/v3"
)

// Backup writes a copy of a SQLite store as it is at one moment, while it is used,
// to a new file that only the owner may read; the error says so when there is such
// a file already. The copy appears whole, and is opened as the store itself is. It
// is of no use without the secret of the deployment, which is not in it. A store
// on PostgreSQL is copied with PostgreSQL's own tools, as the error then says.
func (d *DB) Backup(ctx context.Context, path string) error {
	if d.dialect != goose.DialectSQLite3 {
		return errors.New("the accounts are in PostgreSQL: copy them with pg_dump")
	}
	if err := d.backup(ctx, path); err != nil {
		return fmt.Errorf("copying the account store to %s: %w", path, err)
	}
	return nil
}

func (d *DB) backup(ctx context.Context, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	}
	draft, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	defer draft.Close()
	if err := d.copyInto(ctx, draft.Name()); err != nil {
		return err
	}
	if err := draft.Sync(); err != nil {
		return err
	}
	return os.Link(draft.Name(), path) // which replaces nothing
}

// copyInto has SQLite write the copy, over a connection of its own: neither
// writers nor readers wait for it.
func (d *DB) copyInto(ctx context.Context, path string) error {
	source, err := connect(d.path, 1, "busy_timeout(5000)")
	if err != nil {
		return err
	}
	defer source.Close()
	_, err = source.ExecContext(ctx, `VACUUM INTO $1`, path)
	return err
}
