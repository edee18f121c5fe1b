// Package store keeps accounts, and the data that belongs to them, in a database. SQLite and PostgreSQL share the SQL.
// The package opens the database and migrates its whole schema; other rooms keep their tables in it through package
// database.
package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/internal/work"
)

// DB is an [account.Store], and the store of mails, OAuth grants and credits.
type DB struct {
	*database.DB

	watchers watchers
	reaper   *reaper   // nil on SQLite
	pool     work.Pool // of background jobs
}

var _ account.Store = (*DB)(nil)

//go:embed migrations
var migrations embed.FS

// schema is the accounts' part of a database. The advisory lock is "rodata" in ASCII. A PostgreSQL server allows 100
// connections by default.
var schema = &database.Schema{
	Name: "the account store", Migrations: migrations, Table: "schema_versions", Lock: 0x726f64617461, Connections: 16,
	Prepared: []*database.Statement{selectBalances, useCredits, insertCharges, addUsage},
}

// Open opens the store at the path of a file, or in the database of a URL: see [database.Open]. A file has one owner,
// because each process would count credits separately. Each process on PostgreSQL needs up to 16 connections and one
// for LISTEN, so a pooler in between must use session pooling. A copy of the store can be opened only with the
// deployment's secret, which it does not contain.
func Open(ctx context.Context, place string) (*DB, error) {
	db, err := database.Open(ctx, place, schema)
	if err != nil {
		return nil, err
	}

	d := &DB{DB: db}
	if !d.IsPostgres() {
		err = d.releaseAll(ctx)
	} else if err = d.listen(ctx); err == nil {
		d.reaper = &reaper{db: d}
		d.pool.Repeat(d.reaper.run)
	}
	if err != nil {
		return nil, errors.Join(database.Wrap("opening the account store", err), d.Close())
	}

	return d, nil
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

		recorded, err := database.One[string](ctx, tx, "reading its fingerprint", nil,
			`SELECT fingerprint FROM secret_fingerprint`)
		if err == nil && recorded != fingerprint {
			return errors.New("the accounts were stored with another secret, and no API key or session would be " +
				"recognised with this one: restore the file \"secret\" of the data directory from the backup that the " +
				"accounts come from, or set RODATA_SECRET to the secret of that time; docs/deployment.md says how to change " +
				"it on purpose")
		}

		return err
	}))
}

// Close closes the store; later calls fail. Other processes can then open the file.
func (d *DB) Close() error {
	d.pool.Close()
	return d.DB.Close()
}
