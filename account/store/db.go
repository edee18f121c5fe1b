// Package store keeps accounts, and the data that belongs to them, in a database. SQLite and PostgreSQL share the SQL.
// The package opens the database and migrates its whole schema; other rooms keep their tables in it through package
// database.
package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/pressly/goose/v3"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/internal/queue"
)

// DB is an [account.Store], and the store of mails, OAuth grants and credits. A committed change survives a crash and a
// power cut.
type DB struct {
	*database.DB
	dialect    goose.Dialect
	statements database.Statements

	watchers watchers
	listener *listener   // to other processes, nil on SQLite
	reaper   *reaper     // nil on SQLite
	pool     *queue.Pool // of background jobs, nil on SQLite
}

var _ account.Store = (*DB)(nil)

// Ping checks that the store responds.
func (d *DB) Ping(ctx context.Context) error {
	var version int
	return database.Wrap("asking the account store",
		d.Reader.QueryRowContext(ctx, `SELECT MAX(version_id) FROM `+schemaTable).Scan(&version))
}

// CheckSecret records the fingerprint of the deployment's secret in a new store, and rejects another one later, because
// the store's contents are hashed or encrypted with the secret. See [account.SecretFingerprint].
func (d *DB) CheckSecret(ctx context.Context, fingerprint string) error {
	return database.Wrap("checking the secret", d.Transact(ctx, func(tx *sql.Tx) error {
		if err := database.Exec(ctx, tx,
			`INSERT INTO secret_fingerprint (id, fingerprint) VALUES (1, $1) ON CONFLICT (id) DO NOTHING`,
			fingerprint); err != nil {
			return err
		}

		var recorded string
		if err := tx.QueryRowContext(ctx, `SELECT fingerprint FROM secret_fingerprint`).Scan(&recorded); err != nil {
			return err
		}
		if recorded != fingerprint {
			return errors.New("the accounts were stored with another secret, and no API key or session would be " +
				"recognised with this one: restore the file \"secret\" of the data directory from the backup that the " +
				"accounts come from, or set RODATA_SECRET to the secret of that time; docs/deployment.md says how to change " +
				"it on purpose")
		}

		return nil
	}))
}

// Close closes the store; later calls fail. Other processes can then open the file.
func (d *DB) Close() error {
	if d.pool != nil {
		d.pool.Close()
	}
	if d.listener != nil {
		d.listener.close()
	}

	return d.DB.Close()
}
