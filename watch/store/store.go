// Package store keeps watch-lists, events, webhooks and deliveries in the database of the observations, so that an
// event is written in the transaction of the observation that it is about.
package store

import (
	"context"
	"embed"
	"io/fs"

	"github.com/rodata/rodata/internal/database"
)

// DB is the tables of this room in an open database.
type DB struct {
	*database.DB
	statements database.Statements
	lockLooked *database.Statement // locks rows, which SQLite cannot and need not
}

// Migrator is an open database that takes the tables of another room.
type Migrator interface {
	// Migrate brings the tables of a room to the newest version. The schema is that for the database's dialect.
	Migrate(ctx context.Context, schema func(folder string) *database.Schema) (*database.DB, error)
}

// Open creates or migrates the tables in the database of the observations.
func Open(ctx context.Context, observations Migrator) (*DB, error) {
	d := &DB{statements: database.PostgresStatements(), lockLooked: lockLooked}
	sqlite := false
	var err error
	d.DB, err = observations.Migrate(ctx, func(folder string) *database.Schema {
		sqlite = folder == "sqlite"
		return schema(folder)
	})
	if err == nil && sqlite { // a file has one owner, so whoever had a lease is gone
		err = database.Exec(ctx, d.Writer, `DELETE FROM watch_leases`)
	}
	if err == nil && sqlite {
		d.lockLooked = selectLooked // the whole file is locked
		d.statements, err = database.PrepareSQLite(ctx, d.Writer, insertEvents, insertFeed, selectLooked, upsertLooked, upsertMissed,
			markPaid, unpay, selectWatched, saveWatched, deleteWatched, settleDeliveries, selectEntries,
			upsertEntries)
	}
	if err != nil {
		return nil, database.Doing("opening the store of watch-lists", err)
	}
	return d, nil
}

// migrations are the goose migrations, a folder for each database. A released file never changes.
//
//go:embed migrations/*/*.sql
var migrations embed.FS

// schemaTable is the version table of goose, beside that of the observations.
const schemaTable = "watch_schema_versions"

// schema is the schema for the database that the folder is for. The advisory lock is "watch" in ASCII.
func schema(folder string) *database.Schema {
	files, err := fs.Sub(migrations, "migrations/"+folder)
	if err != nil { // for an invalid path
		panic(err)
	}
	return &database.Schema{Migrations: files, Table: schemaTable, Lock: 0x7761746368}
}
