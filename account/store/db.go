// Package store keeps accounts and what belongs to them in a database: one set of
// SQL for SQLite and PostgreSQL.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// DB is an [account.Store], and holds all else that belongs to accounts, in the
// SQL that the databases have in common: $n placeholders, hashes as hexadecimal
// text, times as Unix milliseconds. What has been written survives a crash and a
// power cut.
type DB struct {
	writer *sql.DB
	reader *sql.DB
	lock   *sql.DB
}

// Ping implements Store.
func (d *DB) Ping(ctx context.Context) error {
	var version int
	if err := d.reader.QueryRowContext(ctx, `SELECT MAX(version) FROM schema_versions`).Scan(&version); err != nil {
		return fmt.Errorf("asking the account store: %w", err)
	}
	return nil
}

// Close implements Store; it lets other processes open the file.
func (d *DB) Close() error {
	var errs []error
	for _, db := range []*sql.DB{d.reader, d.writer, d.lock} { // the lock outlives the rest
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

func orNull(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}

func orZero(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return time.UnixMilli(ms.Int64).UTC()
}
