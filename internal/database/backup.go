package database

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Backup writes a consistent copy of a SQLite file to a new file that only the owner may read, while the database is in
// use. It never replaces a file, and the copy gets its name only once it is complete. The copy can be opened like the
// original. For PostgreSQL, the error names its own tool.
func (d *DB) Backup(ctx context.Context, path string) error {
	if d.IsPostgres() {
		return errors.New(d.schema.Name + " is in PostgreSQL: copy it with pg_dump")
	}
	return Wrap("copying "+d.schema.Name+" to "+path, copySQLite(ctx, d.Path, path))
}

func copySQLite(ctx context.Context, from, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	}

	draft, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	defer draft.Close()
	if err := copyInto(ctx, from, draft.Name()); err != nil {
		return err
	}
	if err := draft.Sync(); err != nil {
		return err
	}

	return os.Link(draft.Name(), path) // which replaces nothing
}

// copyInto lets SQLite write the copy through a separate connection, so that neither writers nor readers have to wait.
func copyInto(ctx context.Context, from, path string) error {
	source, err := Connect(from, 1, "busy_timeout(5000)")
	if err != nil {
		return err
	}
	defer source.Close()

	_, err = source.ExecContext(ctx, `VACUUM INTO $1`, path)
	return err
}
