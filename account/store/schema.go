package store

import (
	"embed"
	"io/fs"
	"slices"

	"github.com/pressly/goose/v3"

	"github.com/rodata/rodata/internal/database"
)

// migrations are the goose migrations of both databases, and of PostgreSQL only. A released file never changes.
//
//go:embed migrations/*.sql migrations/*/*.sql
var migrations embed.FS

// schemaTable is the version table of goose.
const schemaTable = "schema_versions"

// schema returns the accounts' part of a database. The advisory lock is "rodata" in ASCII.
func schema(dialect goose.Dialect) *database.Schema {
	files := migrationFiles{folder("migrations")}
	if dialect == goose.DialectPostgres {
		files = append(files, folder("migrations/postgres"))
	}
	return &database.Schema{Migrations: files, Table: schemaTable, Lock: 0x726f64617461}
}

func folder(path string) fs.FS {
	files, err := fs.Sub(migrations, path)
	if err != nil { // for an invalid path
		panic(err)
	}
	return files
}

// migrationFiles are the files of several folders. It implements fs.GlobFS.
type migrationFiles []fs.FS

// Open implements fs.FS.
func (m migrationFiles) Open(name string) (file fs.File, err error) {
	for _, folder := range m {
		if file, err = folder.Open(name); err == nil {
			return file, nil
		}
	}

	return nil, err
}

// Glob implements fs.GlobFS. The names are sorted, as goose expects them.
func (m migrationFiles) Glob(pattern string) (names []string, err error) {
	for _, folder := range m {
		some, err := fs.Glob(folder, pattern)
		if err != nil {
			return nil, err
		}

		names = append(names, some...)
	}

	slices.Sort(names)
	return names, nil
}
