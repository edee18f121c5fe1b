// Package store keeps jobs with their rows, in a separate SQLite file or in the PostgreSQL database of a fleet. In a
// fleet, every edge can show a job, and any edge can continue it.
package store

import (
	"context"
	"embed"

	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/internal/work"
)

// DB is an open store. It implements jobs.Store.
type DB struct{ *database.DB }

//go:embed migrations
var migrations embed.FS

// schema has the advisory lock "jobs" in ASCII.
var schema = &database.Schema{
	Name: "the store of jobs", Migrations: migrations, Table: "job_schema_versions", Lock: 0x6a6f6273,
	Leases: "job_leases", Pragmas: []string{"temp_store(MEMORY)", "auto_vacuum(INCREMENTAL)"},
}

// Open opens the store in a file: see [database.Open].
func Open(ctx context.Context, path string) (*DB, error) {
	db, err := database.Open(ctx, path, schema)
	return &DB{db}, err
}

// OpenIn opens the store in the database of a fleet. The owner of the database closes it.
func OpenIn(ctx context.Context, db *database.DB) (*DB, error) {
	added, err := db.Add(ctx, schema)
	return &DB{added}, err
}

// Leases returns the exclusive right to work on jobs in the fleet.
func (d *DB) Leases() work.LeaseTable { return work.LeasesIn(d.DB, schema.Leases) }
