package store

import (
	"context"
	"errors"

	"github.com/pressly/goose/v3"

	"github.com/rodata/rodata/internal/database"
)

// Backup writes a consistent copy of a SQLite store to a new file that only the owner may read, while the store is in
// use. It never replaces a file, and the copy appears only once it is complete. The copy can be opened like the store,
// but only with the deployment's secret, which it does not contain. For a store on PostgreSQL, Backup returns an error
// that names PostgreSQL's own tools.
func (d *DB) Backup(ctx context.Context, path string) error {
	if d.dialect != goose.DialectSQLite3 {
		return errors.New("the accounts are in PostgreSQL: copy them with pg_dump")
	}
	return database.Wrap("copying the account store to "+path, database.CopySQLite(ctx, d.Path, path))
}
