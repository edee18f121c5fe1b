// Package store keeps accounts and what belongs to them in a database: one set of
// SQL for SQLite and PostgreSQL.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/rodata/rodata/account"
)

// DB is an [account.Store], and holds all else that belongs to accounts, in the
// SQL that the databases have in common: $n placeholders in their order, hashes as
// hexadecimal text, times as Unix milliseconds. What has been written survives a
// crash and a power cut.
type DB struct {
	dialect goose.Dialect
	writer  *sql.DB
	reader  *sql.DB // on PostgreSQL the same as writer
	lock    *sql.DB // of the file, nil on PostgreSQL
	path    string  // of the file, empty on PostgreSQL
	holder  int64   // names this process in what it claims
	remains error   // why the file still holds remains of deleted rows; nil when it does not

	watchers watchers
	listener *listener // to other processes, nil on SQLite
	reaper   *reaper   // nil on SQLite
}

var _ account.Store = (*DB)(nil)

// Ping implements Store.
func (d *DB) Ping(ctx context.Context) error {
	var version int
	if err := d.reader.QueryRowContext(ctx, `SELECT MAX(version_id) FROM `+schemaTable).Scan(&version); err != nil {
		return fmt.Errorf("asking the account store: %w", err)
	}
	return nil
}

// Close implements Store; it lets other processes open a file.
func (d *DB) Close() error {
	if d.reaper != nil {
		d.reaper.close()
	}
	if d.listener != nil {
		d.listener.close()
	}
	var errs []error
	for _, db := range []*sql.DB{d.reader, d.writer, d.lock} { // the lock outlives the rest
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// transact makes a change in one transaction, which is undone when it fails.
func (d *DB) transact(ctx context.Context, change func(*sql.Tx) error) error {
	tx, err := d.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after a commit
	if err := change(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// execer is a database, or a transaction in one.
type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// changeOne makes a change; the error is none when nothing is there to be changed.
func changeOne(ctx context.Context, db execer, none error, query string, args ...any) error {
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

// collect reads all rows of a query.
func collect[T any](ctx context.Context, db *sql.DB, scan func(row) (T, error), query string, args ...any) ([]T, error) {
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

// row is what one answer of a query is read from.
type row interface{ Scan(values ...any) error }

func orNull(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}

func orZero(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return time.UnixMilli(ms.Int64).UTC()
}
