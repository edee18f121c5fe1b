package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/hex"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
)

// keepNetworks is the time after the last sign-in for which a network counts as known.
const keepNetworks = 90 * 24 * time.Hour

// CreateSession adds a session with the hash of its token, and deletes expired sessions. It does not store the Account
// and Plan, because they come from the user. The network, given as a hash, counts as known from then on: see
// KnowsNetwork.
func (d *DB) CreateSession(ctx context.Context, s account.Session, hash, network []byte) error {
	err := d.Transact(ctx, func(tx *sql.Tx) error {
		return cmp.Or(
			database.Exec(ctx, tx, `DELETE FROM sessions WHERE expires_at <= $1`, now()),
			database.Exec(ctx, tx,
				`INSERT INTO sessions (id, user_id, hash, brief, address, agent, created_at, updated_at, expires_at)
				 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
				s.ID, s.User, hex.EncodeToString(hash), database.Integer(s.Brief), s.Address, s.Agent,
				s.CreatedAt.UnixMilli(), s.UpdatedAt.UnixMilli(), s.ExpiresAt.UnixMilli()),
			database.Exec(ctx, tx, `DELETE FROM known_networks WHERE seen_at <= $1`,
				time.Now().Add(-keepNetworks).UnixMilli()),
			database.Exec(ctx, tx,
				`INSERT INTO known_networks (user_id, network, seen_at) VALUES ($1, $2, $3)
				 ON CONFLICT (user_id, network) DO UPDATE SET seen_at = excluded.seen_at`,
				s.User, hex.EncodeToString(network), now()))
	})
	return database.Wrap("creating a session", err)
}

// KnowsNetwork reports whether a user has signed in from a network, given as a hash, since the last change of the
// password.
func (d *DB) KnowsNetwork(ctx context.Context, user string, network []byte) (bool, error) {
	return database.One[bool](ctx, d.Reader, "looking for a network", nil,
		`SELECT EXISTS (SELECT 1 FROM known_networks WHERE user_id = $1 AND network = $2)`, user,
		hex.EncodeToString(network))
}

const sessionQuery = `SELECT s.id, s.user_id AS "user", u.account_id AS account, a.plan, ` + verifiedColumn +
	` AS verified, s.brief, s.address, s.agent, s.created_at, s.updated_at, s.expires_at
	FROM sessions s JOIN users u ON u.id = s.user_id JOIN accounts a ON a.id = u.account_id `

// SessionByHash implements account.SessionStore.
func (d *DB) SessionByHash(ctx context.Context, hash []byte) (account.Session, error) {
	return database.One[account.Session](ctx, d.Reader, "reading a session", account.ErrNoSession,
		sessionQuery+`WHERE s.hash = $1 AND a.closed_at IS NULL`, hex.EncodeToString(hash))
}

// Sessions returns a user's unexpired sessions, the newest first.
func (d *DB) Sessions(ctx context.Context, user string) ([]account.Session, error) {
	return database.All[account.Session](ctx, d.Reader, "listing sessions",
		sessionQuery+`WHERE s.user_id = $1 AND s.expires_at > $2 ORDER BY s.created_at DESC, s.id DESC`, user, now())
}

// ExtendSession updates a session's UpdatedAt and ExpiresAt.
func (d *DB) ExtendSession(ctx context.Context, s account.Session) error {
	err := d.ChangeAccount(ctx, s.Account, func(tx *sql.Tx) error {
		return database.Exec(ctx, tx, `UPDATE sessions SET updated_at = $1, expires_at = $2 WHERE id = $3`,
			s.UpdatedAt.UnixMilli(), s.ExpiresAt.UnixMilli(), s.ID)
	})
	return database.Wrap("extending a session", err)
}

// EndSession deletes a session of the account's user by id, if it exists.
func (d *DB) EndSession(ctx context.Context, owner, id string) error {
	return d.endSessions(ctx, owner, `DELETE FROM sessions
		WHERE user_id IN (SELECT id FROM users WHERE account_id = $1) AND id = $2`, id)
}

// EndSessions deletes the sessions of the account's user, except the one with the id except, which may be empty.
func (d *DB) EndSessions(ctx context.Context, owner, except string) error {
	return d.endSessions(ctx, owner, `DELETE FROM sessions
		WHERE user_id IN (SELECT id FROM users WHERE account_id = $1) AND id <> $2`, except)
}

func (d *DB) endSessions(ctx context.Context, owner, statement, id string) error {
	err := d.ChangeAccount(ctx, owner, func(tx *sql.Tx) error {
		return database.Exec(ctx, tx, statement, owner, id)
	})
	return database.Wrap("ending sessions", err)
}
