// Package database holds what the stores share that keep their tables in one SQL database: connections, transactions
// and the conversion of values. The SQL is common to SQLite and PostgreSQL: $n placeholders in order, hashes as
// hexadecimal text, times as Unix milliseconds.
package database

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// DB is an open database.
type DB struct {
	// Writer takes every change, and reads that must see the last committed state.
	Writer *sql.DB
	// Reader takes all other reads. On PostgreSQL it is the same as Writer.
	Reader *sql.DB
	// Holder identifies this process in the leases that it takes.
	Holder int64
}

// Transact runs a change in one transaction, which is rolled back when the change fails.
func (d *DB) Transact(ctx context.Context, change func(*sql.Tx) error) error {
	tx, err := d.Writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after a commit

	if err := change(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Execer is a database, or a transaction in one.
type Execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// ChangeOne executes a statement and returns the error none when it affected no row.
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

// Collect reads all rows of a query.
func Collect[T any](ctx context.Context, db *sql.DB, scan func(Row) (T, error), query string, args ...any) ([]T, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	var all []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}

	return all, rows.Err()
}

// OrNull is a time as it is stored: NULL for the zero time.
func OrNull(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}

// OrZero is a stored time: the zero time for NULL.
func OrZero(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return time.UnixMilli(ms.Int64).UTC()
}

// Integer is a truth value as both databases store it.
func Integer(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Doing wraps an error with what was tried; nil stays nil.
func Doing(what string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
