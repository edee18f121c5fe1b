package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

// migrationWait is the maximum time that a migration waits for other processes and their locks.
const migrationWait = time.Minute

// Schema describes the tables of a package, and how their database is opened.
type Schema struct {
	// Name names the data in errors, such as "the account store".
	Name string
	// Migrations are goose's, in the folder "migrations": for both databases in the folder itself, for one of them in
	// its folder "sqlite" or "postgres". A released file never changes.
	Migrations fs.FS
	// Table has goose's version.
	Table string
	// Lock is PostgreSQL's advisory lock that serializes the migrations of concurrently starting processes.
	Lock int64
	// Leases is a table of leases. A file has one owner, so opening it clears the table; empty if there is none.
	Leases string

	// Connections is the maximum number of a process's connections to PostgreSQL.
	Connections int
	// Pragmas apply to the writer of a SQLite file, in addition to those that make commits durable and overwrite
	// deleted rows.
	Pragmas []string
	// Prepared are the statements about several rows that SQLite prepares.
	Prepared []*Statement
}

// Open opens a database with the tables of a schema, and migrates them to the newest version. The place is the path of
// a SQLite file, or the URL of a PostgreSQL database, as
// postgres://user:password@host:5432/database?sslmode=verify-full, with libpq's parameters
// (https://www.postgresql.org/docs/current/libpq-connect.html). Tables of a newer version are refused.
//
// The file and its folders are created if necessary, readable only by the owner. While it is open, opening it again
// fails, in this and other processes. The lock file, path + ".lock", remains after the database is closed; its
// existence does not mean that the database is open.
//
// The database of a URL must exist. Several processes may have it open. While the server is down, calls fail. No error
// contains the password.
func Open(ctx context.Context, place string, schema *Schema) (*DB, error) {
	d, err := &DB{Path: place}, error(nil)
	where := " " + place
	if strings.Contains(place, "://") {
		d.Path, where = "", ""
		if d.Postgres, err = PostgresConfig(place); err == nil {
			where = fmt.Sprintf(", database %s on %s:%d", d.Postgres.Database, d.Postgres.Host, d.Postgres.Port)
			d.openPostgres(schema.Connections)
		}
	} else {
		err = d.openSQLite(ctx, schema.Pragmas)
	}

	if err == nil {
		err = d.prepare(ctx, schema)
	}
	if err == nil {
		err = d.Ping(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("opening %s%s: %w", schema.Name, where, errors.Join(err, d.Close()))
	}

	return d, nil
}

// Add creates or migrates the tables of another package in the database. Closing the result has no effect: the owner of
// the database closes it.
func (d *DB) Add(ctx context.Context, schema *Schema) (*DB, error) {
	added := *d
	added.borrowed = true
	return &added, Wrap("opening "+schema.Name, added.prepare(ctx, schema))
}

func (d *DB) prepare(ctx context.Context, schema *Schema) (err error) {
	d.schema = schema
	if d.IsPostgres() {
		d.Statements = Statements{sizes: postgresSizes}
		return schema.migratePostgres(ctx, d.Postgres)
	}

	if err := schema.migrate(ctx, d.Writer, goose.DialectSQLite3); err != nil {
		return err
	}
	if schema.Leases != "" {
		if err := Exec(ctx, d.Writer, `DELETE FROM `+schema.Leases); err != nil {
			return Wrap("clearing leases", err)
		}
	}

	d.Statements, err = prepareSQLite(ctx, d.Writer, schema.Prepared)
	return err
}

// Ping checks that the database responds.
func (d *DB) Ping(ctx context.Context) error {
	_, err := One[int](ctx, d.Reader, "asking "+d.schema.Name, nil, `SELECT MAX(version_id) FROM `+d.schema.Table)
	return err
}

func (s *Schema) files(dialect goose.Dialect) (files migrationFiles, err error) {
	folders := map[goose.Dialect]string{goose.DialectSQLite3: "sqlite", goose.DialectPostgres: "postgres"}
	for _, folder := range []string{"migrations", "migrations/" + folders[dialect]} {
		some, err := fs.Sub(s.Migrations, folder)
		if err != nil {
			return nil, err
		}

		files = append(files, some)
	}

	return files, nil
}

// Provider returns goose's provider of the migrations.
func (s *Schema) Provider(db *sql.DB, dialect goose.Dialect) (*goose.Provider, error) {
	files, err := s.files(dialect)
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(dialect, db, files, goose.WithTableName(s.Table),
		goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true))
}

// migrate migrates the tables to the newest schema version, each step in its own transaction. It rejects tables of an
// unknown version, because an older program could damage the data of a newer one.
func (s *Schema) migrate(ctx context.Context, db *sql.DB, dialect goose.Dialect) error {
	provider, err := s.Provider(db, dialect)
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

// migratePostgres migrates the tables in PostgreSQL, one process at a time and without a time limit.
func (s *Schema) migratePostgres(ctx context.Context, config *pgx.ConnConfig) error {
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

	return s.migrate(ctx, db, goose.DialectPostgres) // the lock ends with its connection
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
