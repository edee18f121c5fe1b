package store

import (
	"embed"
	"io/fs"

	"github.com/rodata/rodata/internal/database"
)

// migrations are the goose migrations, with a folder for each database. A released file never changes.
//
//go:embed migrations/*/*.sql
var migrations embed.FS

// schemaTable is the version table of goose. On PostgreSQL it is separate from the accounts' table.
const schemaTable = "history_schema_versions"

// schema returns the schema for the folder's database. The advisory lock is "history" in ASCII.
func schema(folder string) *database.Schema {
	files, err := fs.Sub(migrations, "migrations/"+folder)
	if err != nil { // for an invalid path
		panic(err)
	}
	return &database.Schema{Migrations: files, Table: schemaTable, Lock: 0x686973746f7279}
}
