package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
)

// CreateUser adds a user with logins and an account on a plan. All ids must be new. The error is account.ErrEmailTaken
// if another user has the address.
func (d *DB) CreateUser(ctx context.Context, u account.User, plan string, logins ...account.Login) error {
	err := d.Transact(ctx, func(tx *sql.Tx) error {
		err := addAccount(ctx, tx, account.Account{ID: u.Account, Plan: plan, CreatedAt: u.CreatedAt})
		err = cmp.Or(err, database.ChangeOne(ctx, tx, account.ErrEmailTaken,
			`INSERT INTO users (id, account_id, email, email_verified, name, image, consent, consented_at, created_at,
				updated_at)
			 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (email) DO NOTHING`,
			u.ID, u.Account, u.Email, database.Integer(u.EmailVerified), u.Name, u.Image, u.Consent,
			consentTime(u), u.CreatedAt.UnixMilli(), u.UpdatedAt.UnixMilli()))

		for _, l := range logins {
			err = cmp.Or(err, addLogin(ctx, tx, l))
		}

		return err
	})
	return database.Wrap("creating user "+u.ID, err)
}

// consentTime returns the time at which a user accepted the texts, in milliseconds. It is 0 without a consent.
func consentTime(u account.User) int64 {
	if u.Consent == "" {
		return 0
	}
	return u.ConsentedAt.UnixMilli()
}

// scryptHash is the format of password hashes in better-auth 1.x: salt and key.
var scryptHash = regexp.MustCompile(`^[0-9a-f]{32}:[0-9a-f]{128}$`)

// ImportUser adds a user from a better-auth database, with an account on a plan. The address must be in lower case;
// empty ids are generated, and zero times become the current time. The password hash comes from the credential account,
// "salt:key" in hexadecimal; it is replaced by a stronger one at the first sign-in. It may be empty: then the user asks
// for a new password. The error is account.ErrEmailTaken if another user has the address, and account.ErrForeignHash if
// the hash has another format.
func (d *DB) ImportUser(ctx context.Context, u account.User, passwordHash, plan string) (account.User, error) {
	if passwordHash != "" && !scryptHash.MatchString(passwordHash) {
		return account.User{}, fmt.Errorf("importing a user: %w", account.ErrForeignHash)
	}

	now := time.Now().UTC().Truncate(time.Millisecond)
	for _, id := range []*string{&u.ID, &u.Account} {
		if *id == "" {
			*id = account.NewID()
		}
	}

	for _, t := range []*time.Time{&u.CreatedAt, &u.UpdatedAt} {
		if t.IsZero() {
			*t = now
		}
	}

	if passwordHash == "" {
		return u, d.CreateUser(ctx, u, plan)
	}

	return u, d.CreateUser(ctx, u, plan, account.Login{
		ID: account.NewID(), User: u.ID, Provider: account.Credential, Subject: u.ID, Password: passwordHash,
		CreatedAt: now, UpdatedAt: now,
	})
}

// User finds a user by id; the error is account.ErrNoUser if there is none.
func (d *DB) User(ctx context.Context, id string) (account.User, error) {
	return d.oneUser(ctx, userQuery+`WHERE u.id = $1`, id)
}

// UserByEmail finds a user by address in lower case, with the hash of the password, which is empty if there is none;
// the error is account.ErrNoUser if there is no such user.
func (d *DB) UserByEmail(ctx context.Context, email string) (u account.User, password string, err error) {
	found, err := database.One[struct {
		account.User
		Password string
	}](ctx, d.Reader, "reading a user", account.ErrNoUser,
		`SELECT `+userColumns+`, COALESCE(l.password, '') AS password FROM users u
		 LEFT JOIN logins l ON l.user_id = u.id AND l.provider = 'credential' WHERE u.email = $1`, email)
	return found.User, found.Password, err
}

// UserOfAccount finds the user of an account. It returns account.ErrNoUser if the account was opened without an
// address, or its user has been deleted.
func (d *DB) UserOfAccount(ctx context.Context, id string) (account.User, error) {
	return d.oneUser(ctx, userQuery+`WHERE u.account_id = $1`, id)
}

// UserByLogin finds a user by provider and subject; the error is account.ErrNoUser if there is none.
func (d *DB) UserByLogin(ctx context.Context, provider, subject string) (account.User, error) {
	return d.oneUser(ctx, userQuery+`JOIN logins l ON l.user_id = u.id WHERE l.provider = $1 AND l.subject = $2`,
		provider, subject)
}

const (
	userColumns = `u.id, u.account_id AS account, u.email, u.email_verified, u.name, u.image, u.consent,
		NULLIF(u.consented_at, 0) AS consented_at, u.created_at, u.updated_at`
	userQuery = `SELECT ` + userColumns + ` FROM users u `
)

func (d *DB) oneUser(ctx context.Context, query string, args ...any) (account.User, error) {
	return database.One[account.User](ctx, d.Reader, "reading a user", account.ErrNoUser, query, args...)
}

// RenameUser changes a user's name and image.
func (d *DB) RenameUser(ctx context.Context, id, name, image string) error {
	return d.changeUser(ctx, `UPDATE users SET name = $1, image = $2, updated_at = $3 WHERE id = $4`, name, image,
		now(), id)
}

// DeleteUser deletes a user with all logins and, if the address is verified, the inquiries sent from it; closes the
// account and revokes its keys. Records required by law stay with the account, which does not name the person. The
// address can be used to sign up again.
func (d *DB) DeleteUser(ctx context.Context, u account.User) error {
	err := d.ChangeAccount(ctx, u.Account, func(tx *sql.Tx) error { return deleteUser(ctx, tx, u) })
	return database.Wrap("deleting a user", err)
}

func deleteUser(ctx context.Context, tx *sql.Tx, u account.User) error {
	return cmp.Or(
		database.Exec(ctx, tx, `DELETE FROM verifications WHERE subject = $1 OR subject = $2`, u.ID, u.Email),
		database.Exec(ctx, tx, `DELETE FROM inquiries WHERE LOWER(email) = $1
			AND EXISTS (SELECT 1 FROM users WHERE id = $2 AND email_verified = 1)`, u.Email, u.ID),
		execEach(ctx, tx, u.ID, `DELETE FROM sessions WHERE user_id = $1`, `DELETE FROM logins WHERE user_id = $1`,
			`DELETE FROM users WHERE id = $1`),
		database.Exec(ctx, tx, `UPDATE accounts SET closed_at = $1 WHERE id = $2 AND closed_at IS NULL`, now(),
			u.Account),
		endGrants(ctx, tx, u.Account),
		database.Exec(ctx, tx, `UPDATE api_keys SET revoked_at = $1, name = '' WHERE account_id = $2
			AND revoked_at IS NULL`, now(), u.Account))
}

func (d *DB) changeUser(ctx context.Context, query string, args ...any) error {
	return database.Wrap("changing a user", database.ChangeOne(ctx, d.Writer, account.ErrNoUser, query, args...))
}

func endGrants(ctx context.Context, tx *sql.Tx, owner string) error {
	return database.Exec(ctx, tx, `DELETE FROM oauth_grants WHERE account_id = $1`, owner)
}

func execEach(ctx context.Context, tx *sql.Tx, arg string, queries ...string) error {
	var err error
	for _, query := range queries {
		err = cmp.Or(err, database.Exec(ctx, tx, query, arg))
	}

	return err
}

func now() int64 { return time.Now().UnixMilli() }
