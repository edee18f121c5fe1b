// Package store keeps jobs with their rows, in a separate SQLite file or in the PostgreSQL database of a fleet. In a
// fleet, every edge can show a job, and any edge can continue it.
package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/internal/lease"
)

// DB is an open store. It implements jobs.Store.
type DB struct{ *database.DB }

// OpenSQLite opens the store at path, which it creates if necessary, readable only by the owner. While it is open,
// opening it again fails, in this and other processes.
func OpenSQLite(ctx context.Context, path string) (*DB, error) {
	d := new(DB)
	_, err := database.OpenSQLite(ctx, path, func(file *database.DB) error {
		d.DB = file
		if err := schema("sqlite").MigrateSQLite(ctx, d.Writer); err != nil {
			return err
		}
		// A file has one owner, so the holder of a lease is gone.
		return d.Leases().Clear(ctx)
	}, "temp_store(MEMORY)", "auto_vacuum(INCREMENTAL)")
	if err != nil {
		return nil, fmt.Errorf("opening the store of jobs %s: %w", path, err)
	}

	return d, nil
}

// Migrator is an open PostgreSQL database that accepts the tables of another package.
type Migrator interface {
	Migrate(ctx context.Context, schema func(folder string) *database.Schema) (*database.DB, error)
}

// OpenIn opens the store in the database of a fleet. The owner of the database closes it.
func OpenIn(ctx context.Context, m Migrator) (*DB, error) {
	db, err := m.Migrate(ctx, schema)
	if err != nil {
		return nil, fmt.Errorf("opening the store of jobs: %w", err)
	}
	return &DB{db}, nil
}

// Leases returns the exclusive right to work on jobs in the fleet.
func (d *DB) Leases() lease.Table { return lease.In(d.DB, "job_leases") }

// migrations are the goose migrations, one folder for each database. A released file never changes.
//
//go:embed migrations/*/*.sql
var migrations embed.FS

// schemaTable is goose's version table for this package.
const schemaTable = "job_schema_versions"

// schema returns the schema for a database. The key of the advisory lock is "jobs" in ASCII.
func schema(folder string) *database.Schema {
	files, err := fs.Sub(migrations, "migrations/"+folder)
	if err != nil { // for an invalid path
		panic(err)
	}
	return &database.Schema{Migrations: files, Table: schemaTable, Lock: 0x6a6f6273}
}
