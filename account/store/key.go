package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/rodata/rodata/account"
)

// CreateKey adds a key to an existing account, with the hash of its secret as
// Directory.Hash computes it; id and hash must be new. The key's Plan is not
// kept: it is the account's.
func (d *DB) CreateKey(ctx context.Context, k account.Key, hash []byte) error {
	_, err := d.writer.ExecContext(ctx,
		`INSERT INTO api_keys (id, account_id, name, prefix, last4, hash, created_at, last_used_at, expires_at)
		 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		k.ID, k.Account, k.Name, k.Prefix, k.Last4, hex.EncodeToString(hash),
		k.CreatedAt.UnixMilli(), orNull(k.LastUsedAt), orNull(k.ExpiresAt))
	if err != nil {
		return fmt.Errorf("creating key %s: %w", k.ID, err)
	}
	return nil
}

// KeyByHash implements Store.
func (d *DB) KeyByHash(ctx context.Context, hash []byte) (account.Key, error) {
	var k account.Key
	var created int64
	var used, expires sql.NullInt64
	err := d.reader.QueryRowContext(ctx,
		`SELECT k.id, k.account_id, a.plan, k.name, k.prefix, k.last4, k.created_at, k.last_used_at, k.expires_at
		 FROM api_keys k JOIN accounts a ON a.id = k.account_id
		 WHERE k.hash = $1 AND k.revoked_at IS NULL`, hex.EncodeToString(hash)).
		Scan(&k.ID, &k.Account, &k.Plan, &k.Name, &k.Prefix, &k.Last4, &created, &used, &expires)
	if errors.Is(err, sql.ErrNoRows) {
		return account.Key{}, account.ErrUnknownKey
	}
	if err != nil {
		return account.Key{}, fmt.Errorf("reading a key: %w", err)
	}
	k.CreatedAt = time.UnixMilli(created).UTC()
	k.LastUsedAt, k.ExpiresAt = orZero(used), orZero(expires)
	return k, nil
}

// RevokeKey implements Store.
func (d *DB) RevokeKey(ctx context.Context, owner, id string) error {
	result, err := d.writer.ExecContext(ctx,
		`UPDATE api_keys SET revoked_at = $1 WHERE id = $2 AND account_id = $3 AND revoked_at IS NULL`,
		time.Now().UnixMilli(), id, owner)
	if err != nil {
		return fmt.Errorf("revoking key %s: %w", id, err)
	}
	revoked, err := result.RowsAffected()
	if err != nil {
		return fmt.Errorf("revoking key %s: %w", id, err)
	}
	if revoked == 0 {
		return account.ErrUnknownKey
	}
	return nil
}

