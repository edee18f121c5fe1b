package database

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

// migrationWait is the maximum time that a migration waits for other processes and their locks.
const migrationWait = time.Minute

// Schema describes the tables of a package and their migrations.
type Schema struct {
	Migrations fs.FS  // of goose, in its root
	Table      string // with goose's version
	// Lock is PostgreSQL's advisory lock that serializes the migrations of concurrently starting processes.
	Lock int64
}

// Migrate migrates the tables to the newest schema version, each step in its own transaction. It rejects tables of an
// unknown version, because an older program could damage the data of a newer one.
func (s *Schema) Migrate(ctx context.Context, db *sql.DB, dialect goose.Dialect) error {
	provider, err := goose.NewProvider(dialect, db, s.Migrations, goose.WithTableName(s.Table),
		goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("reading the migrations: %w", err)
	}

	version, known, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("reading the schema version: %w", err)
	}
	if version > known {
		return fmt.Errorf("its schema version is %d and this program knows versions up to %d: run the newer release "+
			"that wrote it, or restore a backup from before the upgrade", version, known)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("bringing the schema from version %d to %d: %w", version, known, err)
	}

	return nil
}

// MigrateSQLite migrates the tables in a SQLite file.
func (s *Schema) MigrateSQLite(ctx context.Context, db *sql.DB) error {
	return s.Migrate(ctx, db, goose.DialectSQLite3)
}

// MigratePostgres migrates the tables in PostgreSQL, one process at a time and without a time limit.
func (s *Schema) MigratePostgres(ctx context.Context, config *pgx.ConnConfig) error {
	config = config.Copy()
	config.RuntimeParams["statement_timeout"] = "0"
	config.RuntimeParams["idle_in_transaction_session_timeout"] = "0"
	config.RuntimeParams["lock_timeout"] = strconv.FormatInt(migrationWait.Milliseconds(), 10)
	config.DialFunc = Dial
	db := stdlib.OpenDB(*config)
	defer db.Close()
	lock, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer lock.Close()

	if _, err := lock.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, s.Lock); err != nil {
		return fmt.Errorf("waiting for another process to change its tables: %w", err)
	}

	return s.Migrate(ctx, db, goose.DialectPostgres) // the lock ends with its connection
}
