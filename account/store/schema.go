package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// migrations are the goose migrations of both databases. A released file never changes.
//
//go:embed migrations/*.sql
var migrations embed.FS

// schemaTable is the version table of goose.
const schemaTable = "schema_versions"

// migrate migrates the tables to the newest schema version, each step in its own transaction. It refuses tables
// of an unknown version: an older program could damage the data of a newer one.
func migrate(ctx context.Context, db *sql.DB, dialect goose.Dialect) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}

	provider, err := goose.NewProvider(dialect, db, files, goose.WithTableName(schemaTable),
		goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("reading the migrations: %w", err)
	}

	version, known, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("reading the schema version: %w", err)
	}
	if version > known {
		return fmt.Errorf("its schema version is %d and this program knows versions up to %d: run the newer release that wrote it, or restore a backup from before the upgrade", version, known)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("bringing the schema from version %d to %d: %w", version, known, err)
	}

	return nil
}
