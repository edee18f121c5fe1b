package store

import (
	"cmp"
	"context"
	"database/sql"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
)

// VerifyEmail sets a user's address and marks it as verified, and the link that proved it as used; keep selects what
// survives, as in ProveUser. The link is the hash of its token, or nil. The error is account.ErrEmailTaken if another
// user now has the address, and account.ErrNoVerification if the link was used or has expired.
func (d *DB) VerifyEmail(ctx context.Context, u account.User, email string, keep account.Keep, link []byte) error {
	err := d.ChangeAccount(ctx, u.Account, func(tx *sql.Tx) error {
		return cmp.Or(useLink(ctx, tx, link), changeEmail(ctx, tx, u.ID, email), markVerified(ctx, tx, u, keep))
	})
	return database.Wrap("verifying the address of a user", err)
}

// SetEmail sets a user's address, which is then unverified. The error is account.ErrEmailTaken if another user has it.
func (d *DB) SetEmail(ctx context.Context, id, email string) error {
	u, err := d.User(ctx, id)
	if err != nil {
		return database.Wrap("changing the address of a user", err)
	}

	err = d.ChangeAccount(ctx, u.Account, func(tx *sql.Tx) error {
		return cmp.Or(changeEmail(ctx, tx, id, email),
			database.Exec(ctx, tx, `UPDATE users SET email_verified = 0 WHERE id = $1`, id))
	})

	return database.Wrap("changing the address of a user", err)
}

// changeEmail sets a user's address. All links that were sent before stop working.
func changeEmail(ctx context.Context, tx *sql.Tx, id, email string) error {
	// Checked here because each database reports a unique index differently.
	taken, err := database.One[bool](ctx, tx, "looking for an address", nil,
		`SELECT EXISTS (SELECT 1 FROM users WHERE email = $1 AND id <> $2)`, email, id)
	if taken {
		return account.ErrEmailTaken
	}

	return cmp.Or(err, invalidateLinks(ctx, tx, id), database.ChangeOne(ctx, tx, account.ErrNoUser,
		`UPDATE users SET email = $1, updated_at = $2 WHERE id = $3`, email, now(), id))
}

// invalidateLinks marks all mailed links that refer to a user or their address as used.
func invalidateLinks(ctx context.Context, tx *sql.Tx, id string) error {
	return execEach(ctx, tx, id,
		`UPDATE verifications SET used = 1 WHERE subject = $1`,
		`UPDATE verifications SET used = 1 WHERE subject = (SELECT email FROM users WHERE id = $1)`)
}

// ProveUser records that a user has proven access to mail at their address. Somebody else may have signed up with the
// address before, and must not share the account. So, unless the address was already verified, the password, sessions,
// links, grants and keys end, and what was created in the account is deleted.
func (d *DB) ProveUser(ctx context.Context, u account.User) error {
	err := d.ChangeAccount(ctx, u.Account, func(tx *sql.Tx) error {
		return markVerified(ctx, tx, u, account.KeepNothing)
	})
	return database.Wrap("recording that an address is a user's", err)
}

// markVerified marks the address of a user as verified and, if it was unverified, ends everything that keep does not
// preserve.
func markVerified(ctx context.Context, tx *sql.Tx, u account.User, keep account.Keep) error {
	unproven, err := database.Change(ctx, tx, `UPDATE users SET email_verified = 1, updated_at = $1 WHERE id = $2
		AND email_verified = 0`, now(), u.ID)
	if err != nil || unproven == 0 || keep == account.KeepAll {
		return err
	}

	err = cmp.Or(disown(ctx, tx, u), endGrants(ctx, tx, u.Account), execEach(ctx, tx, u.ID,
		`DELETE FROM sessions WHERE user_id = $1`, `DELETE FROM known_networks WHERE user_id = $1`))
	if keep != account.KeepPassword {
		// Somebody else may have signed up and accepted the terms.
		err = cmp.Or(err, execEach(ctx, tx, u.ID, `DELETE FROM logins WHERE user_id = $1`,
			`UPDATE users SET consent = '', consented_at = 0 WHERE id = $1`))
	}

	return cmp.Or(err, invalidateLinks(ctx, tx, u.ID))
}

// disown revokes the keys of an account and marks its contents for deletion, if somebody could sign in before the
// address was verified. Otherwise an operator opened the account and issued the keys, which remain valid.
func disown(ctx context.Context, tx *sql.Tx, u account.User) error {
	const usable = ` AND (EXISTS (SELECT 1 FROM logins WHERE user_id = $3)
		OR EXISTS (SELECT 1 FROM sessions WHERE user_id = $3)
		OR EXISTS (SELECT 1 FROM oauth_grants WHERE account_id = $2))`
	return cmp.Or(
		database.Exec(ctx, tx, `UPDATE accounts SET owned_since = $1 WHERE id = $2`+usable, now(), u.Account, u.ID),
		database.Exec(ctx, tx, `UPDATE api_keys SET revoked_at = $1, name = '' WHERE account_id = $2
			AND revoked_at IS NULL`+usable, now(), u.Account, u.ID))
}
