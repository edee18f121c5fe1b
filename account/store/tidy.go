package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
)

// The retention of rows that no longer have any effect.
const (
	keepKeys       = 30 * 24 * time.Hour // after they were revoked or expired
	keepUnverified = 30 * 24 * time.Hour
)

// tidyAtOnce is the maximum number of rows that one statement deletes, so that it does not lock the store for long.
const tidyAtOnce = 500

// sweep deletes rows in batches: $1 is the time before which a row is obsolete, $2 the size of the batch.
type sweep struct {
	rows      string // described for errors
	statement string
	keep      time.Duration
}

// sweeps run in this order. A key is deleted after its descendants; a family has at most 20 generations.
var sweeps = []sweep{
	{"revoked keys", `DELETE FROM api_keys WHERE id IN (SELECT k.id FROM api_keys k
		WHERE k.revoked_at <= $1 AND NOT EXISTS (SELECT 1 FROM api_keys c WHERE c.parent_id = k.id)
		ORDER BY k.revoked_at LIMIT $2)`, keepKeys},
	{"expired keys", `DELETE FROM api_keys WHERE id IN (SELECT k.id FROM api_keys k
		WHERE k.expires_at <= $1 AND NOT EXISTS (SELECT 1 FROM api_keys c WHERE c.parent_id = k.id)
		ORDER BY k.expires_at LIMIT $2)`, keepKeys},
	{"expired grants", `DELETE FROM oauth_grants WHERE id IN (SELECT id FROM oauth_grants
		WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`, keepUsedTokens},
	{"expired sessions", `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions
		WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`, 0},
	{"expired verifications", `DELETE FROM verifications WHERE hash IN (SELECT hash FROM verifications
		WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`, keepExpired},
	{"expired repeatable calls", `DELETE FROM repeatable_calls
		WHERE (account_id, key_hash) IN (SELECT account_id, key_hash FROM repeatable_calls
		WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`, 0},
}

// tidyLock is PostgreSQL's advisory lock for the process that is tidying: "rodatidy" in ASCII.
const tidyLock = 0x726f646174696479

// Tidy deletes keys and grants 30 days after they became obsolete, and expired sessions and links. It works in batches;
// charges can be written in between. Of several processes on one store, one tidies at a time; the others do nothing.
func (d *DB) Tidy(ctx context.Context, now time.Time) error {
	for _, s := range sweeps {
		if err := d.sweep(ctx, s, now); err != nil {
			return fmt.Errorf("deleting %s: %w", s.rows, err)
		}
	}

	return nil
}

func (d *DB) sweep(ctx context.Context, s sweep, now time.Time) error {
	for {
		var deleted int64
		err := d.Transact(ctx, func(tx *sql.Tx) (err error) {
			if acquired, err := d.lockTidying(ctx, tx); err != nil || !acquired {
				return err
			}

			deleted, err = database.Change(ctx, tx, s.statement, now.Add(-s.keep).UnixMilli(), tidyAtOnce)
			return err
		})
		// A batch of keys may delete only the last generation of some families.
		if err != nil || deleted == 0 {
			return err
		}
	}
}

// lockTidying locks other processes out until the transaction ends. It reports false if another process is tidying.
func (d *DB) lockTidying(ctx context.Context, tx *sql.Tx) (acquired bool, err error) {
	if !d.IsPostgres() {
		return true, nil
	}

	return database.One[bool](ctx, tx, "locking out other processes", nil, `SELECT pg_try_advisory_xact_lock($1)`, tidyLock)
}

// DeleteUnverified deletes users who signed up with a password more than 30 days ago, have not verified their address,
// and have an account without keys, sessions, credits or a customer. It returns the number of deleted users. Use it
// only if people cannot sign in before verifying their address; otherwise such users may come back.
func (d *DB) DeleteUnverified(ctx context.Context, now time.Time) (deleted int, err error) {
	for {
		users, err := database.All[account.User](ctx, d.Reader, "looking for users who never verified their address",
			unverifiedQuery, now.Add(-keepUnverified).UnixMilli(), time.Now().UnixMilli(), tidyAtOnce)
		if err != nil {
			return deleted, err
		}

		for _, u := range users {
			switch err := d.deleteIfUnverified(ctx, u); {
			case err == nil:
				deleted++
			case !errors.Is(err, account.ErrNoUser):
				return deleted, fmt.Errorf("deleting a user who never verified their address: %w", err)
			}
		}

		if len(users) < tidyAtOnce {
			return deleted, nil
		}
	}
}

// deleteIfUnverified deletes a user; the error is account.ErrNoUser if they have verified their address in the
// meantime.
func (d *DB) deleteIfUnverified(ctx context.Context, u account.User) error {
	return d.ChangeAccount(ctx, u.Account, func(tx *sql.Tx) error {
		return cmp.Or(database.ChangeOne(ctx, tx, account.ErrNoUser,
			`UPDATE users SET email_verified = 0 WHERE id = $1 AND email_verified = 0`, u.ID), deleteUser(ctx, tx, u))
	})
}

// unverifiedQuery also checks the age of the login, because an imported user may have signed up elsewhere long before.
// Users without a password were added by an operator.
const unverifiedQuery = `SELECT u.id, u.account_id AS account, u.email FROM users u
	WHERE u.email_verified = 0 AND u.created_at <= $1
	AND EXISTS (SELECT 1 FROM logins l WHERE l.user_id = u.id AND l.provider = 'credential' AND l.created_at <= $1)
	AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.user_id = u.id AND s.expires_at > $2)
	AND NOT EXISTS (SELECT 1 FROM api_keys k WHERE k.account_id = u.account_id AND k.revoked_at IS NULL)
	AND NOT EXISTS (SELECT 1 FROM credits c WHERE c.account_id = u.account_id)
	AND NOT EXISTS (SELECT 1 FROM customers c WHERE c.account_id = u.account_id)
	ORDER BY u.created_at LIMIT $3`
