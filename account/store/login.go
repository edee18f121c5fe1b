package store

import (
	"cmp"
	"context"
	"database/sql"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
)

// AddLogin adds a login for a user; its provider and subject must be new.
func (d *DB) AddLogin(ctx context.Context, l account.Login) error {
	return database.Wrap("adding a login", addLogin(ctx, d.Writer, l))
}

func addLogin(ctx context.Context, db database.Execer, l account.Login) error {
	return database.Exec(ctx, db,
		`INSERT INTO logins (id, user_id, provider, subject, password, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		l.ID, l.User, l.Provider, l.Subject, l.Password, l.CreatedAt.UnixMilli(), l.UpdatedAt.UnixMilli())
}

// Logins returns a user's logins, the oldest first.
func (d *DB) Logins(ctx context.Context, user string) ([]account.Login, error) {
	return database.All[account.Login](ctx, d.Reader, "listing the logins of a user",
		`SELECT id, user_id AS "user", provider, subject, password, created_at, updated_at FROM logins
			WHERE user_id = $1 ORDER BY created_at, id`, user)
}

// ForeignPasswords reports whether any user still has an imported password hash. It reads one row of a partial index.
func (d *DB) ForeignPasswords(ctx context.Context) (bool, error) {
	// The order makes PostgreSQL use the index even without statistics.
	id, err := database.One[string](ctx, d.Reader, "looking for imported passwords", nil,
		`SELECT id FROM logins WHERE password <> '' AND substr(password, 1, 1) <> '$' ORDER BY created_at LIMIT 1`)
	return id != "", err
}

// ChangePassword sets the hash of a user's password. It ends all sessions except the one with the id except, which may
// be empty, and all links that were sent before.
func (d *DB) ChangePassword(ctx context.Context, u account.User, hash, except string) error {
	err := d.ChangeAccount(ctx, u.Account, func(tx *sql.Tx) error {
		return changePassword(ctx, tx, u.ID, hash, except)
	})
	return database.Wrap("changing a password", err)
}

func changePassword(ctx context.Context, tx *sql.Tx, user, hash, except string) error {
	return cmp.Or(
		setPassword(ctx, tx, user, hash),
		database.Exec(ctx, tx, `DELETE FROM sessions WHERE user_id = $1 AND id <> $2`, user, except),
		database.Exec(ctx, tx, `DELETE FROM known_networks WHERE user_id = $1`, user),
		invalidateLinks(ctx, tx, user))
}

// ReplacePassword stores another hash of the same password. It does nothing if the password has changed in the
// meantime.
func (d *DB) ReplacePassword(ctx context.Context, user, old, hash string) error {
	err := database.Exec(ctx, d.Writer,
		`UPDATE logins SET password = $1 WHERE user_id = $2 AND provider = 'credential' AND password = $3`, hash, user,
		old)
	return database.Wrap("replacing the hash of a password", err)
}

// ResetPassword sets the password hash of a user who has proven their address by a link, and ends all sessions and
// links. If the address was not verified, it also revokes everything that ProveUser would. The link is the hash of its
// token, or nil. The error is account.ErrNoVerification if it was used or has expired.
func (d *DB) ResetPassword(ctx context.Context, u account.User, hash string, link []byte) error {
	err := d.ChangeAccount(ctx, u.Account, func(tx *sql.Tx) error {
		return cmp.Or(useLink(ctx, tx, link), markVerified(ctx, tx, u, account.KeepNothing),
			changePassword(ctx, tx, u.ID, hash, ""))
	})
	return database.Wrap("resetting a password", err)
}

func setPassword(ctx context.Context, tx *sql.Tx, user, hash string) error {
	return database.Exec(ctx, tx,
		`INSERT INTO logins (id, user_id, provider, subject, password, created_at, updated_at)
		 VALUES ($1, $2, 'credential', $3, $4, $5, $6)
		 ON CONFLICT (provider, subject) DO UPDATE SET password = excluded.password, updated_at = excluded.updated_at`,
		account.NewID(), user, user, hash, now(), now())
}
