package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
)

// migrations are the steps that build the tables, one file a schema version in
// the order of their names. A file that has been released never changes.
//
//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the tables to the newest schema version, each step in a
// transaction of its own. Tables of a version that is not known here are left
// alone: an older program could damage what a newer one keeps in them.
func migrate(ctx context.Context, db *sql.DB) error {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	var version int
	_, err = db.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT NOT NULL PRIMARY KEY)`)
	if err == nil {
		err = db.QueryRowContext(ctx, `SELECT COALESCE(MAX(version), 0) FROM schema_versions`).Scan(&version)
	}
	if err != nil {
		return fmt.Errorf("reading the schema version: %w", err)
	}
	if version > len(files) {
		return fmt.Errorf("its schema version is %d and this program knows versions up to %d: run the newer release that wrote it, or restore a backup from before the upgrade", version, len(files))
	}
	for i := version; i < len(files); i++ {
		if err := apply(ctx, db, files[i], i+1); err != nil {
			return fmt.Errorf("applying %s: %w", files[i], err)
		}
	}
	return nil
}

// apply runs one step and notes the version it leads to, or does neither.
func apply(ctx context.Context, db *sql.DB, file string, version int) error {
	step, err := migrations.ReadFile(file)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after a commit
	if _, err := tx.ExecContext(ctx, string(step)); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO schema_versions (version) VALUES ($1)`, version); err != nil {
		return err
	}
	return tx.Commit()
}
