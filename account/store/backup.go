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

// Backup writes a consistent copy of a SQLite store to a new file that only the owner may read, while the store is in
// use; it never replaces a file. The copy appears complete, and is opened like the store. It is useless without the
// deployment's secret, which it does not contain. A store on PostgreSQL is copied with PostgreSQL's own tools, as the
// error then says.
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

// copyInto has SQLite write the copy through a separate connection, so that neither writers nor readers wait for it.
func (d *DB) copyInto(ctx context.Context, path string) error {
	source, err := connect(d.path, 1, "busy_timeout(5000)")
	if err != nil {
		return err
	}
	defer source.Close()
	_, err = source.ExecContext(ctx, `VACUUM INTO $1`, path)
	return err
}
