package account

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

// records reads and writes the tables, in the SQL that the databases have in
// common: $n placeholders, hashes as hexadecimal text, times as Unix
// milliseconds.
type records struct {
	writer *sql.DB
	reader *sql.DB
}

// CreateAccount adds an account; its id must be new.
func (r *records) CreateAccount(ctx context.Context, a Account) error {
	_, err := r.writer.ExecContext(ctx,
		`INSERT INTO accounts (id, plan, created_at) VALUES ($1, $2, $3)`,
		a.ID, a.Plan, a.CreatedAt.UnixMilli())
	if err != nil {
		return fmt.Errorf("creating account %s: %w", a.ID, err)
	}
	return nil
}

// CreateKey adds a key to an existing account, with the hash of its secret as
// Directory.Hash computes it; id and hash must be new. The key's Plan is not
// kept: it is the account's.
func (r *records) CreateKey(ctx context.Context, k Key, hash []byte) error {
	_, err := r.writer.ExecContext(ctx,
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
func (r *records) KeyByHash(ctx context.Context, hash []byte) (Key, error) {
	var k Key
	var created int64
	var used, expires sql.NullInt64
	err := r.reader.QueryRowContext(ctx,
		`SELECT k.id, k.account_id, a.plan, k.name, k.prefix, k.last4, k.created_at, k.last_used_at, k.expires_at
		 FROM api_keys k JOIN accounts a ON a.id = k.account_id
		 WHERE k.hash = $1 AND k.revoked_at IS NULL`, hex.EncodeToString(hash)).
		Scan(&k.ID, &k.Account, &k.Plan, &k.Name, &k.Prefix, &k.Last4, &created, &used, &expires)
	if errors.Is(err, sql.ErrNoRows) {
		return Key{}, ErrUnknownKey
	}
	if err != nil {
		return Key{}, fmt.Errorf("reading a key: %w", err)
	}
	k.CreatedAt = time.UnixMilli(created).UTC()
	k.LastUsedAt, k.ExpiresAt = orZero(used), orZero(expires)
	return k, nil
}

// RevokeKey implements Store.
func (r *records) RevokeKey(ctx context.Context, account, id string) error {
	result, err := r.writer.ExecContext(ctx,
		`UPDATE api_keys SET revoked_at = $1 WHERE id = $2 AND account_id = $3 AND revoked_at IS NULL`,
		time.Now().UnixMilli(), id, account)
	if err != nil {
		return fmt.Errorf("revoking key %s: %w", id, err)
	}
	revoked, err := result.RowsAffected()
	if err != nil {
		return fmt.Errorf("revoking key %s: %w", id, err)
	}
	if revoked == 0 {
		return ErrUnknownKey
	}
	return nil
}

// Ping implements Store.
func (r *records) Ping(ctx context.Context) error {
	var version int
	if err := r.reader.QueryRowContext(ctx, `SELECT MAX(version) FROM schema_versions`).Scan(&version); err != nil {
		return fmt.Errorf("asking the account store: %w", err)
	}
	return nil
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
