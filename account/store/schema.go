package store

import (
	"embed"
	"io/fs"

	"github.com/rodata/rodata/internal/database"
)

// migrations are the goose migrations of both databases. A released file never changes.
//
//go:embed migrations/*.sql
var migrations embed.FS

// schemaTable is the version table of goose.
const schemaTable = "schema_versions"

// schema is the accounts' part of the database. The advisory lock is "rodata" in ASCII.
var schema = &database.Schema{Migrations: migrationFiles(), Table: schemaTable, Lock: 0x726f64617461}

func migrationFiles() fs.FS {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil { // for an invalid path
		panic(err)
	}
	return files
}
