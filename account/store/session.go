package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
)

// keepNetworks is how long a network counts as known after the last sign-in.
const keepNetworks = 90 * 24 * time.Hour

// CreateSession adds a session with the hash of its token, and deletes expired ones. Its Account and Plan are
// not stored, since they are the user's. The network, given as a hash, counts as known from then on: see
// KnowsNetwork.
func (d *DB) CreateSession(ctx context.Context, s account.Session, hash, network []byte) error {
	err := d.Transact(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE expires_at <= $1`, now()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx,
			`INSERT INTO sessions (id, user_id, hash, brief, address, agent, created_at, updated_at, expires_at)
			 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			s.ID, s.User, hex.EncodeToString(hash), database.Integer(s.Brief), s.Address, s.Agent,
			s.CreatedAt.UnixMilli(), s.UpdatedAt.UnixMilli(), s.ExpiresAt.UnixMilli())
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM known_networks WHERE seen_at <= $1`, time.Now().Add(-keepNetworks).UnixMilli()); err != nil {
			return err
		}

		_, err = tx.ExecContext(ctx,
			`INSERT INTO known_networks (user_id, network, seen_at) VALUES ($1, $2, $3)
			 ON CONFLICT (user_id, network) DO UPDATE SET seen_at = excluded.seen_at`, s.User, hex.EncodeToString(network), now())
		return err
	})
	return database.Doing("creating a session", err)
}

// KnowsNetwork reports whether a user has signed in from a network, given as a hash, since the last change of
// the password.
func (d *DB) KnowsNetwork(ctx context.Context, user string, network []byte) (known bool, err error) {
	err = d.Reader.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM known_networks WHERE user_id = $1 AND network = $2)`,
		user, hex.EncodeToString(network)).Scan(&known)
	return known, database.Doing("looking for a network", err)
}

const sessionQuery = `SELECT s.id, s.user_id, u.account_id, a.plan, s.brief, s.address, s.agent, s.created_at, s.updated_at, s.expires_at
	FROM sessions s JOIN users u ON u.id = s.user_id JOIN accounts a ON a.id = u.account_id `

// SessionByHash implements account.SessionStore.
func (d *DB) SessionByHash(ctx context.Context, hash []byte) (account.Session, error) {
	s, err := readSession(d.Reader.QueryRowContext(ctx, sessionQuery+`WHERE s.hash = $1 AND a.closed_at IS NULL`, hex.EncodeToString(hash)))
	if errors.Is(err, sql.ErrNoRows) {
		return account.Session{}, account.ErrNoSession
	}
	return s, database.Doing("reading a session", err)
}

// Sessions returns a user's unexpired sessions, the newest first.
func (d *DB) Sessions(ctx context.Context, user string) ([]account.Session, error) {
	rows, err := d.Reader.QueryContext(ctx, sessionQuery+`WHERE s.user_id = $1 AND s.expires_at > $2 ORDER BY s.created_at DESC, s.id DESC`, user, now())
	if err != nil {
		return nil, fmt.Errorf("listing sessions: %w", err)
	}
	defer rows.Close()
	var all []account.Session
	for rows.Next() {
		s, err := readSession(rows)
		if err != nil {
			return nil, fmt.Errorf("reading a session: %w", err)
		}
		all = append(all, s)
	}

	return all, database.Doing("listing sessions", rows.Err())
}

func readSession(row interface{ Scan(...any) error }) (s account.Session, err error) {
	var created, updated, expires int64
	if err := row.Scan(&s.ID, &s.User, &s.Account, &s.Plan, &s.Brief, &s.Address, &s.Agent, &created, &updated, &expires); err != nil {
		return account.Session{}, err
	}
	s.CreatedAt, s.UpdatedAt, s.ExpiresAt = time.UnixMilli(created).UTC(), time.UnixMilli(updated).UTC(), time.UnixMilli(expires).UTC()
	return s, nil
}

// ProlongSession updates a session's UpdatedAt and ExpiresAt.
func (d *DB) ProlongSession(ctx context.Context, s account.Session) error {
	err := d.ChangeAccount(ctx, s.Account, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE sessions SET updated_at = $1, expires_at = $2 WHERE id = $3`,
			s.UpdatedAt.UnixMilli(), s.ExpiresAt.UnixMilli(), s.ID)
		return err
	})
	return database.Doing("prolonging a session", err)
}

// EndSession deletes a session of the account's user by id, if it exists.
func (d *DB) EndSession(ctx context.Context, owner, id string) error {
	return d.endSessions(ctx, owner, `DELETE FROM sessions WHERE user_id IN (SELECT id FROM users WHERE account_id = $1) AND id = $2`, id)
}

// EndSessions deletes the sessions of the account's user, except the one with the id except, which may be
// empty.
func (d *DB) EndSessions(ctx context.Context, owner, except string) error {
	return d.endSessions(ctx, owner, `DELETE FROM sessions WHERE user_id IN (SELECT id FROM users WHERE account_id = $1) AND id <> $2`, except)
}

func (d *DB) endSessions(ctx context.Context, owner, statement, id string) error {
	err := d.ChangeAccount(ctx, owner, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, statement, owner, id)
		return err
	})
	return database.Doing("ending sessions", err)
}
