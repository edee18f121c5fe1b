package store

import (
	"embed"
	"io/fs"

	"github.com/rodata/rodata/internal/database"
)

// migrations are the goose migrations, a folder for each database. A released file never changes.
//
//go:embed migrations/*/*.sql
var migrations embed.FS

// schemaTable is the version table of goose. On PostgreSQL it stands beside that of the accounts.
const schemaTable = "history_schema_versions"

// schema is the schema for the database that the folder is for. The advisory lock is "history" in ASCII.
func schema(folder string) *database.Schema {
	files, err := fs.Sub(migrations, "migrations/"+folder)
	if err != nil { // for an invalid path
		panic(err)
	}
	return &database.Schema{Migrations: files, Table: schemaTable, Lock: 0x686973746f7279}
}
