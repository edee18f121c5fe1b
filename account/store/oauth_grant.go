package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
)

// keepUsedTokens is the time after its expiry for which a used token is kept for replay detection.
const keepUsedTokens = 30 * 24 * time.Hour

// CreateGrant adds a grant with its first token, the code. An account keeps its newest account.MaxGrants grants. The
// error is account.ErrNoAccount if the account does not exist or is closed.
func (d *DB) CreateGrant(ctx context.Context, g account.Grant, code account.Token) error {
	err := d.ChangeAccount(ctx, g.Account, func(tx *sql.Tx) error {
		return cmp.Or(
			LockAccount(ctx, tx, g.Account),
			database.Exec(ctx, tx,
				`INSERT INTO oauth_grants (id, account_id, client_id, name, resource, scope, redirect, challenge,
					created_at, expires_at)
				 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
				g.ID, g.Account, g.App, g.Name, g.Resource, string(g.Scope), g.Redirect, g.Challenge,
				g.CreatedAt.UnixMilli(), code.ExpiresAt.UnixMilli()),
			database.Exec(ctx, tx, `DELETE FROM oauth_grants WHERE id IN (
				SELECT id FROM oauth_grants WHERE account_id = $1 ORDER BY id DESC
				LIMIT 1000 OFFSET $2)`, g.Account, account.MaxGrants),
			addTokens(ctx, tx, g.ID, code))
	})
	return database.Wrap("creating a grant", err)
}

// forgetTokens deletes the expired tokens of a grant: access tokens at once, others once replay detection no longer
// needs them.
func forgetTokens(ctx context.Context, tx *sql.Tx, grant string) error {
	now := time.Now()
	return database.Exec(ctx, tx, `DELETE FROM oauth_tokens WHERE grant_id = $1 AND expires_at <= $2
		AND (kind = $3 OR expires_at <= $4)`,
		grant, now.UnixMilli(), account.AccessToken, now.Add(-keepUsedTokens).UnixMilli())
}

func addTokens(ctx context.Context, tx *sql.Tx, grant string, tokens ...account.Token) error {
	for _, t := range tokens {
		if err := database.Exec(ctx, tx,
			`INSERT INTO oauth_tokens (hash, grant_id, kind, used, expires_at) VALUES ($1, $2, $3, 0, $4)`,
			hex.EncodeToString(t.Hash), grant, t.Kind, t.ExpiresAt.UnixMilli()); err != nil {
			return err
		}
	}

	return nil
}

const grantColumns = `g.id, g.account_id AS account, g.client_id AS app, g.name, g.resource, g.scope, g.redirect,
	g.challenge, g.created_at, g.last_used_at, g.expires_at`

type grantRow struct {
	account.Grant
	UsedAt, TokenExpiresAt time.Time
	Plan                   string
	Verified               bool
}

// GrantByToken finds the grant of a token by its kind and hash, even if the token is used or expired. It returns
// account.ErrNoGrant if there is none.
func (d *DB) GrantByToken(ctx context.Context, kind account.TokenKind,
	hash []byte) (account.Grant, account.Token, error) {
	g, err := database.One[grantRow](ctx, d.Reader, "reading a grant", account.ErrNoGrant,
		`SELECT `+grantColumns+`, CASE WHEN t.used = 1 THEN COALESCE(t.used_at, 0) END AS used_at,
		 t.expires_at AS token_expires_at FROM oauth_tokens t JOIN oauth_grants g ON g.id = t.grant_id
		 WHERE t.hash = $1 AND t.kind = $2`, hex.EncodeToString(hash), kind)
	return g.Grant, account.Token{Kind: kind, Hash: hash, UsedAt: g.UsedAt, ExpiresAt: g.TokenExpiresAt}, err
}

// ExchangeToken marks a token of a grant as used and adds its successors; the grant then expires with the last of them.
// Expired tokens are deleted. The error is account.ErrNoGrant if the grant or its account has ended, or the token was
// used before and is not Exchangeable any more. Such a replay means that the token was stolen, so it ends the grant
// with all its tokens.
func (d *DB) ExchangeToken(ctx context.Context, g account.Grant, old account.Token, tokens ...account.Token) error {
	stolen := false
	err := d.ChangeAccount(ctx, g.Account, func(tx *sql.Tx) error {
		if err := LockAccount(ctx, tx, g.Account); err != nil {
			return err
		}

		// Another call may have exchanged it since old was read.
		err := database.ChangeOne(ctx, tx, account.ErrNoGrant,
			`UPDATE oauth_tokens SET used = 1, used_at = COALESCE(used_at, $1)
			 WHERE hash = $2 AND grant_id = $3 AND (used = 0 OR kind = $4 AND used_at > $5)`,
			now(), hex.EncodeToString(old.Hash), g.ID, account.RefreshToken,
			time.Now().Add(-account.RenewalLeeway).UnixMilli())
		if errors.Is(err, account.ErrNoGrant) {
			stolen = true
			return database.Exec(ctx, tx, `DELETE FROM oauth_grants WHERE id = $1`, g.ID)
		}

		if err != nil {
			return err
		}

		last := slices.MaxFunc(tokens, func(a, b account.Token) int { return a.ExpiresAt.Compare(b.ExpiresAt) })
		return cmp.Or(
			database.Exec(ctx, tx, `UPDATE oauth_grants SET expires_at = $1 WHERE id = $2`,
				last.ExpiresAt.UnixMilli(), g.ID),
			forgetTokens(ctx, tx, g.ID),
			addTokens(ctx, tx, g.ID, tokens...))
	})

	switch {
	case err == nil && stolen, errors.Is(err, account.ErrNoAccount):
		return account.ErrNoGrant
	}

	return database.Wrap("exchanging a token", err)
}

// KeyByToken finds an access token for a resource by its hash, as a key of the account with the ID and app name of the
// grant. It finds expired tokens too. The error is account.ErrUnknownKey if there is none.
func (d *DB) KeyByToken(ctx context.Context, hash []byte, resource string) (account.Key, error) {
	g, err := database.One[grantRow](ctx, d.Reader, "reading a token", account.ErrUnknownKey,
		`SELECT `+grantColumns+`, a.plan, `+verifiedColumn+` AS verified, t.expires_at AS token_expires_at
		 FROM oauth_tokens t JOIN oauth_grants g ON g.id = t.grant_id JOIN accounts a ON a.id = g.account_id
		 WHERE t.hash = $1 AND t.kind = $2 AND g.resource = $3 AND a.closed_at IS NULL`,
		hex.EncodeToString(hash), account.AccessToken, resource)
	return account.Key{ID: g.ID, Account: g.Account, Name: g.Name, CreatedAt: g.CreatedAt, LastUsedAt: g.LastUsedAt,
		Scope: g.Scope, Plan: g.Plan, Verified: g.Verified, ExpiresAt: g.TokenExpiresAt}, err
}

// Grants lists an account's grants that have not expired, the oldest first.
func (d *DB) Grants(ctx context.Context, owner string) ([]account.Grant, error) {
	return database.All[account.Grant](ctx, d.Reader, "listing grants",
		`SELECT `+grantColumns+` FROM oauth_grants g WHERE g.account_id = $1 AND g.expires_at > $2 ORDER BY g.id`,
		owner, now())
}

// EndGrant deletes one of an account's grants with all its tokens. It returns account.ErrNoGrant if the account has no
// grant with that ID.
func (d *DB) EndGrant(ctx context.Context, owner, id string) error {
	err := d.ChangeAccount(ctx, owner, func(tx *sql.Tx) error {
		return database.ChangeOne(ctx, tx, account.ErrNoGrant,
			`DELETE FROM oauth_grants WHERE id = $1 AND account_id = $2`, id, owner)
	})
	return database.Wrap("ending a grant", err, account.ErrNoGrant)
}

// TouchGrants records the last uses of grants by ID.
func (d *DB) TouchGrants(ctx context.Context, used map[string]time.Time) error {
	return d.touch(ctx, `UPDATE oauth_grants SET last_used_at = $1 WHERE id = $2
		AND (last_used_at IS NULL OR last_used_at < $1)`, used)
}
