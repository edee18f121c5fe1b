// Package store keeps observations permanently, in a separate SQLite file or in the PostgreSQL database of a fleet. It
// only adds rows: the database itself rejects changes and deletions.
package store

import (
	"context"
	"embed"
	"slices"

	"github.com/rodata/rodata/internal/database"
)

// DB is an open store.
type DB struct{ *database.DB }

//go:embed migrations
var migrations embed.FS

// schema has its own version table: on PostgreSQL, the accounts may be in the same database. The advisory lock is
// "history" in ASCII.
var schema = &database.Schema{
	Name: "the store of observations", Migrations: migrations, Table: "history_schema_versions",
	Lock: 0x686973746f7279, Connections: 4, // in addition to the accounts'
	// Recursive triggers make the deletion triggers also catch the rows that INSERT OR REPLACE would replace. The
	// journal of a single statement may be in memory.
	Pragmas: []string{"recursive_triggers(1)", "temp_store(MEMORY)"},
	Prepared: slices.Concat(insertLooks[:],
		[]*database.Statement{selectLast, selectBefore, insertObservations, insertPastLooks}),
}

// Open opens the store at the path of a file, or in the database of a URL: see [database.Open].
func Open(ctx context.Context, place string) (*DB, error) {
	db, err := database.Open(ctx, place, schema)
	return &DB{db}, err
}
