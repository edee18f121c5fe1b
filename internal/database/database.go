// Package database contains the common parts of stores with tables in one SQL database: connections, migrations,
// transactions and the conversion of values. The SQL is common to SQLite and PostgreSQL: $n placeholders in order,
// hashes as hexadecimal text, times as Unix milliseconds.
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// DB is an open database. A committed change survives a crash and a power cut.
type DB struct {
	// Writer executes all changes, and reads that must see the last committed state.
	Writer *sql.DB
	// Reader executes all other reads. On PostgreSQL it is the same as Writer.
	Reader *sql.DB
	// Statements execute statements about several rows.
	Statements Statements
	// Holder identifies this process in the leases that it takes.
	Holder int64
	// Path is the file of a SQLite database; empty on PostgreSQL.
	Path string
	// Postgres is the configuration of connections to PostgreSQL; nil for a file.
	Postgres *pgx.ConnConfig

	schema   *Schema
	lock     *sql.DB // of the file
	borrowed bool    // the connections belong to another DB
}

// IsPostgres reports whether the database is PostgreSQL. Otherwise it is a SQLite file.
func (d *DB) IsPostgres() bool { return d.Path == "" }

// Close closes all connections; later calls fail. Other processes can then open the file.
func (d *DB) Close() error {
	var errs []error
	for _, db := range []*sql.DB{d.Reader, d.Writer, d.lock} { // the lock outlives the rest
		if db != nil && !d.borrowed {
			errs = append(errs, db.Close())
		}
	}

	return errors.Join(errs...)
}

// Transact runs a change in one transaction, which is rolled back if the change fails. So a change may return cmp.Or of
// its steps: steps after a failed one have no effect.
func (d *DB) Transact(ctx context.Context, change func(*sql.Tx) error) error {
	tx, err := d.Writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // no effect after a commit

	if err := change(tx); err != nil {
		return err
	}

	return tx.Commit()
}

// IsDeadlock reports whether PostgreSQL ended a transaction because of a deadlock. It may be retried.
func IsDeadlock(err error) bool {
	failure, ok := errors.AsType[*pgconn.PgError](err)
	return ok && failure.SQLState() == "40P01"
}

// Execer is a database, or a transaction in one.
type Execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Exec executes a statement.
func Exec(ctx context.Context, db Execer, query string, args ...any) error {
	_, err := db.ExecContext(ctx, query, args...)
	return err
}

// Change executes a statement, and returns the number of rows that it affected.
func Change(ctx context.Context, db Execer, query string, args ...any) (rows int64, err error) {
	result, err := db.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// ChangeOne executes a statement. It returns the error none if the statement affected no row.
func ChangeOne(ctx context.Context, db Execer, none error, query string, args ...any) error {
	changed, err := Change(ctx, db, query, args...)
	if err == nil && changed == 0 {
		return none
	}
	return err
}

// DeleteBatch is the maximum number of rows that one statement deletes, which keeps its locks short.
const DeleteBatch = 1_000

// DeleteMany executes a statement, whose last argument is DeleteBatch, until it deletes fewer rows than that. Errors
// are wrapped with the attempted action.
func (d *DB) DeleteMany(ctx context.Context, doing, statement string, args ...any) error {
	args = append(args, DeleteBatch)
	for {
		if deleted, err := Change(ctx, d.Writer, statement, args...); err != nil || deleted < DeleteBatch {
			return Wrap(doing, err)
		}
	}
}

// OrNull returns a time in its stored form. The zero time is stored as NULL.
func OrNull(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}

// Integer returns a boolean in the form of both databases.
func Integer(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Wrap wraps an error with the attempted action. Nil and errors that wrap a definite answer stay as they are.
func Wrap(what string, err error, answers ...error) error {
	if err == nil || slices.ContainsFunc(answers, func(answer error) bool { return errors.Is(err, answer) }) {
		return err
	}
	return fmt.Errorf("%s: %w", what, err)
}
