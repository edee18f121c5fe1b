// Package store keeps watch-lists, events, webhooks and deliveries in the database of the observations, so that an
// event is written in the transaction of its observation.
package store

import (
	"context"
	"embed"
	"io/fs"

	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/internal/lease"
)

// DB is an open database with the tables of this package.
type DB struct {
	*database.DB
	statements database.Statements
	lockLooked *database.Statement // locks the rows in PostgreSQL; SQLite locks the whole file
}

// Open creates or migrates the tables in the database of the observations.
func Open(ctx context.Context, observations *historystore.DB) (*DB, error) {
	d := &DB{statements: database.PostgresStatements(), lockLooked: lockLooked}
	sqlite := false
	var err error
	d.DB, err = observations.Migrate(ctx, func(folder string) *database.Schema {
		sqlite = folder == "sqlite"
		return schema(folder)
	})
	if err == nil && sqlite { // a file has one owner, so the holder of a lease is gone
		err = d.Leases().Clear(ctx)
	}

	if err == nil && sqlite {
		d.lockLooked = selectLooked
		d.statements, err = database.PrepareSQLite(ctx, d.Writer, insertEvents, insertFeed, insertSeen,
			selectLooked, upsertLooked, upsertMissed, markPaid, unpay, selectWatched, saveWatched, deleteWatched,
			settleDeliveries, selectEntries, upsertEntries)
	}

	if err != nil {
		return nil, database.Wrap("opening the store of watch-lists", err)
	}

	return d, nil
}

// Leases returns the leases of the work that one edge does for its fleet: announcements, deliveries and the mirror.
func (d *DB) Leases() lease.Table { return lease.In(d.DB, "watch_leases") }

// migrations are the goose migrations, one folder for each database. A released file never changes.
//
//go:embed migrations/*/*.sql
var migrations embed.FS

// schemaTable is goose's version table for this package.
const schemaTable = "watch_schema_versions"

// schema returns the schema for a database. The key of the advisory lock is "watch" in ASCII.
func schema(folder string) *database.Schema {
	files, err := fs.Sub(migrations, "migrations/"+folder)
	if err != nil { // for an invalid path
		panic(err)
	}
	return &database.Schema{Migrations: files, Table: schemaTable, Lock: 0x7761746368}
}
