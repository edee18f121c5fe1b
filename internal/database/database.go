// Package database contains the common parts of stores with tables in one SQL database: connections, migrations,
// transactions and the conversion of values. The SQL is common to SQLite and PostgreSQL: $n placeholders in order,
// hashes as hexadecimal text, times as Unix milliseconds.
package database

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
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

// Transact runs a change in one transaction, which is rolled back if the change fails.
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

// ChangeOne executes a statement. It returns the error none if the statement affected no row.
func ChangeOne(ctx context.Context, db Execer, none error, query string, args ...any) error {
	result, err := db.ExecContext(ctx, query, args...)
	if err != nil {
		return err
	}

	changed, err := result.RowsAffected()
	if err == nil && changed == 0 {
		return none
	}

	return err
}

// Row is a row of a result, to be scanned.
type Row interface{ Scan(values ...any) error }

// Querier is a database, or a transaction in one.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Collect reads all rows of a query. Errors are wrapped with the attempted action.
func Collect[T any](ctx context.Context, db Querier, doing string, scan func(Row, *T) error, query string,
	args ...any) ([]T, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, Wrap(doing, err)
	}
	defer rows.Close()

	var all []T
	for rows.Next() {
		var v T
		if err := scan(rows, &v); err != nil {
			return nil, Wrap(doing, err)
		}

		all = append(all, v)
	}

	return all, Wrap(doing, rows.Err())
}

// One reads the first row of a query. The error is none if there is no row; any other is wrapped with the attempted
// action.
func One[T any](ctx context.Context, db Querier, doing string, none error, scan func(Row, *T) error, query string,
	args ...any) (T, error) {
	var v, zero T
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return zero, Wrap(doing, err)
	}
	defer rows.Close()

	if !rows.Next() {
		return zero, cmp.Or(Wrap(doing, rows.Err()), none)
	}
	if err := errors.Join(scan(rows, &v), rows.Close()); err != nil {
		return zero, Wrap(doing, err)
	}

	return v, nil
}

// Value scans a row of one column.
func Value[T any](r Row, v *T) error { return r.Scan(v) }

// OrNull returns a time in its stored form. The zero time is stored as NULL.
func OrNull(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}

// Time scans a stored time into t, in UTC. NULL becomes the zero time.
func Time(t *time.Time) sql.Scanner { return (*timeScanner)(t) }

type timeScanner time.Time

// Scan implements sql.Scanner.
func (s *timeScanner) Scan(value any) error {
	var ms sql.NullInt64
	err := ms.Scan(value)
	*s = timeScanner{}
	if ms.Valid {
		*s = timeScanner(time.UnixMilli(ms.Int64).UTC())
	}

	return err
}

// JSON scans a JSON text into v, which is unchanged if the text is empty.
func JSON(v any) sql.Scanner { return document{v} }

type document struct{ v any }

// Scan implements sql.Scanner.
func (d document) Scan(value any) error {
	var text sql.NullString
	if err := text.Scan(value); err != nil || text.String == "" {
		return err
	}
	return json.Unmarshal([]byte(text.String), d.v)
}

// Integer returns a boolean in the form of both databases.
func Integer(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Wrap wraps an error with the attempted action; nil stays nil.
func Wrap(what string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
