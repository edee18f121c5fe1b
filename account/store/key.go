package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
)

// CreateKey implements account.Store. The key's Plan is not stored, because it comes from the account. A Parent must be
// an active key of the account, otherwise the error is account.ErrUnknownKey.
func (d *DB) CreateKey(ctx context.Context, k account.Key, hash []byte) error {
	err := d.Transact(ctx, func(tx *sql.Tx) error {
		// The lock on the account excludes concurrent changes of its keys.
		return cmp.Or(LockAccount(ctx, tx, k.Account), checkNewKey(ctx, tx, k), database.Exec(ctx, tx,
			`INSERT INTO api_keys (id, account_id, parent_id, name, prefix, last4, hash, created_at, last_used_at,
				expires_at)
			 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
			k.ID, k.Account, sql.NullString{String: k.Parent, Valid: k.Parent != ""}, k.Name, k.Prefix, k.Last4,
			hex.EncodeToString(hash), k.CreatedAt.UnixMilli(), database.OrNull(k.LastUsedAt),
			database.OrNull(k.ExpiresAt)))
	})
	return database.Wrap("creating key "+k.ID, err)
}

func checkNewKey(ctx context.Context, tx *sql.Tx, k account.Key) error {
	active, err := database.One[struct{ Keys, Parents int }](ctx, tx, "counting keys", nil,
		`SELECT COUNT(*) AS keys, COUNT(CASE WHEN id = $1 THEN 1 END) AS parents FROM api_keys
		 WHERE account_id = $2 AND revoked_at IS NULL`, k.Parent, k.Account)
	switch {
	case err == nil && active.Keys >= account.MaxKeys:
		return account.ErrTooManyKeys
	case err == nil && k.Parent != "" && active.Parents == 0:
		return account.ErrUnknownKey
	}

	return err
}

// verifiedColumn is an SQL condition on an account a. It is false if the account's user signed up and has not verified
// the address. Accounts that an operator opened have no user, or a user who cannot sign in before verifying the address
// by a mailed link.
const verifiedColumn = `NOT EXISTS (SELECT 1 FROM users u WHERE u.account_id = a.id AND u.email_verified = 0
	AND EXISTS (SELECT 1 FROM logins l WHERE l.user_id = u.id))`

const keyColumns = `k.id, k.account_id AS account, a.plan, ` + verifiedColumn +
	` AS verified, COALESCE(k.parent_id, '') AS parent, k.name, k.prefix, k.last4, k.created_at, k.last_used_at,
	k.expires_at`

// KeyByHash implements account.Store. It does not find the keys of a closed account.
func (d *DB) KeyByHash(ctx context.Context, hash []byte) (account.Key, error) {
	return database.One[account.Key](ctx, d.Reader, "reading a key", account.ErrUnknownKey,
		`SELECT `+keyColumns+` FROM api_keys k JOIN accounts a ON a.id = k.account_id
		 WHERE k.hash = $1 AND k.revoked_at IS NULL AND a.closed_at IS NULL`, hex.EncodeToString(hash))
}

// ListKeys implements account.Store.
func (d *DB) ListKeys(ctx context.Context, owner string) ([]account.Key, error) {
	return database.All[account.Key](ctx, d.Reader, "listing the keys of account "+owner,
		`SELECT `+keyColumns+` FROM api_keys k JOIN accounts a ON a.id = k.account_id
		 WHERE k.account_id = $1 AND k.revoked_at IS NULL ORDER BY k.created_at, k.id`, owner)
}

// EndedKeys returns the ids of the account's keys that have been revoked or have expired, and are not yet deleted.
func (d *DB) EndedKeys(ctx context.Context, owner string) ([]string, error) {
	return database.All[string](ctx, d.Reader, "listing the ended keys of account "+owner,
		`SELECT id FROM api_keys WHERE account_id = $1 AND (revoked_at IS NOT NULL OR expires_at <= $2)`, owner, now())
}

// RevokeKey implements account.Store. It also clears the names of the revoked keys: names may be personal data, and are
// no longer shown.
func (d *DB) RevokeKey(ctx context.Context, owner, id, by string) error {
	err := d.ChangeAccount(ctx, owner, func(tx *sql.Tx) error {
		// A revoked key has no active descendants, so the search ends there.
		return cmp.Or(LockAccount(ctx, tx, owner), database.ChangeOne(ctx, tx, account.ErrUnknownKey,
			`WITH RECURSIVE family (id) AS (
			     SELECT id FROM api_keys WHERE id = $1 AND account_id = $2 AND revoked_at IS NULL
			     UNION SELECT k.id FROM family f JOIN api_keys k ON k.parent_id = f.id WHERE k.revoked_at IS NULL
			     AND k.id <> $3
			 )
			 UPDATE api_keys SET revoked_at = $4, name = '' WHERE id IN (SELECT id FROM family)`,
			id, owner, by, now()), inheritParent(ctx, tx, id, by))
	})

	if errors.Is(err, account.ErrUnknownKey) || errors.Is(err, account.ErrNoAccount) {
		return account.ErrUnknownKey
	}
	return database.Wrap("revoking key "+id, err)
}

// inheritParent makes the parent of the revoked ancestor the parent of the revoking key, so that revoking a key further
// up still revokes it.
func inheritParent(ctx context.Context, tx *sql.Tx, ancestor, by string) error {
	return database.Exec(ctx, tx,
		`UPDATE api_keys SET parent_id = (SELECT a.parent_id FROM api_keys a WHERE a.id = $1)
		 WHERE id = $2 AND revoked_at IS NULL
		 AND EXISTS (SELECT 1 FROM api_keys p WHERE p.id = api_keys.parent_id AND p.revoked_at IS NOT NULL)`,
		ancestor, by)
}

// TouchKeys implements account.Store.
func (d *DB) TouchKeys(ctx context.Context, used map[string]time.Time) error {
	return d.touch(ctx, `UPDATE api_keys SET last_used_at = $1 WHERE id = $2
		AND (last_used_at IS NULL OR last_used_at < $1)`, used)
}

func (d *DB) touch(ctx context.Context, statement string, used map[string]time.Time) error {
	err := d.Transact(ctx, func(tx *sql.Tx) error {
		touch, err := tx.PrepareContext(ctx, statement)
		if err != nil {
			return err
		}
		defer touch.Close()

		for _, id := range slices.Sorted(maps.Keys(used)) { // in a fixed order, to prevent deadlocks
			if _, err := touch.ExecContext(ctx, used[id].UnixMilli(), id); err != nil {
				return err
			}
		}

		return nil
	})
	return database.Wrap("recording last uses", err)
}
