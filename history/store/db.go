// Package store keeps observations permanently, in a separate SQLite file or in the PostgreSQL database of a fleet. It
// only adds rows: the database itself rejects changes and deletions.
package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"

	"github.com/rodata/rodata/internal/database"
)

// DB is an open store. A stored observation survives a crash and a power cut.
type DB struct {
	*database.DB
	dialect  goose.Dialect
	postgres *pgx.ConnConfig // nil for a file

	statements database.Statements
}

// Ping returns the reason why the store cannot be read, or nil.
func (d *DB) Ping(ctx context.Context) error {
	var version int
	err := d.Reader.QueryRowContext(ctx, `SELECT MAX(version_id) FROM `+schemaTable).Scan(&version)
	return database.Wrap("asking the store of observations", err)
}

// Migrate updates another room's tables in the same database to the newest version. It calls schema with the folder of
// the database's dialect: sqlite or postgres.
func (d *DB) Migrate(ctx context.Context, schema func(folder string) *database.Schema) (*database.DB, error) {
	if d.postgres != nil {
		return d.DB, schema("postgres").MigratePostgres(ctx, d.postgres)
	}
	return d.DB, schema("sqlite").Migrate(ctx, d.Writer, d.dialect)
}

// Backup writes a consistent copy of the file to a new one that only the owner may read, while the store is in use. It
// never replaces a file. The copy can be opened like the store.
func (d *DB) Backup(ctx context.Context, path string) error {
	if d.dialect != goose.DialectSQLite3 {
		return errors.New("the observations are in PostgreSQL: copy them with pg_dump")
	}
	if err := database.CopySQLite(ctx, d.Path, path); err != nil {
		return fmt.Errorf("copying the observations to %s: %w", path, err)
	}
	return nil
}
