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

// keepExpired is the time for which an expired token is still recognised as expired.
const keepExpired = 24 * time.Hour

// CreateVerification stores a verification under the hash of its token. It returns account.ErrTooMany if the bound is
// reached. It also deletes verifications that expired long ago.
func (d *DB) CreateVerification(ctx context.Context, v account.Verification, hash []byte, bound account.Bound) error {
	err := d.Transact(ctx, func(tx *sql.Tx) error {
		return cmp.Or(
			admitVerification(ctx, tx, v, bound),
			database.Exec(ctx, tx, `DELETE FROM verifications WHERE expires_at <= $1`,
				time.Now().Add(-keepExpired).UnixMilli()),
			database.Exec(ctx, tx,
				`INSERT INTO verifications (hash, purpose, subject, value, used, expires_at)
					VALUES ($1, $2, $3, $4, 0, $5)`,
				hex.EncodeToString(hash), v.Purpose, v.Subject, v.Value, v.ExpiresAt.UnixMilli()))
	})
	return database.Wrap("creating a verification", err)
}

func admitVerification(ctx context.Context, tx *sql.Tx, v account.Verification, bound account.Bound) error {
	if bound.Counter != "" {
		// Locking the counter's row makes concurrent requests wait.
		if err := countToday(ctx, tx, bound.Counter, bound.Daily); err != nil {
			return err
		}
	}
	if bound.Live == 0 {
		return nil
	}

	live, err := database.One[int](ctx, tx, "counting links", nil,
		`SELECT COUNT(*) FROM verifications WHERE subject = $1 AND purpose = $2 AND expires_at > $3`, v.Subject,
		v.Purpose, now())
	if err == nil && live >= bound.Live {
		err = account.ErrTooMany
	}

	return err
}

// Verification finds a verification by the hash of its token, even if it is used or expired. It returns
// account.ErrNoVerification if there is none.
func (d *DB) Verification(ctx context.Context, purpose string, hash []byte) (account.Verification, error) {
	return database.One[account.Verification](ctx, d.Reader, "reading a verification", account.ErrNoVerification,
		`SELECT purpose, subject, value, used, expires_at FROM verifications WHERE hash = $1 AND purpose = $2`,
		hex.EncodeToString(hash), purpose)
}

// UseVerification marks a token, given by its hash, as used. Only one caller succeeds. It returns
// account.ErrNoVerification if the token is unknown, used or expired.
func (d *DB) UseVerification(ctx context.Context, purpose string, hash []byte) (account.Verification, error) {
	return database.One[account.Verification](ctx, d.Writer, "using a verification", account.ErrNoVerification,
		`UPDATE verifications SET used = 1 WHERE hash = $1 AND purpose = $2 AND used = 0 AND expires_at > $3
		 RETURNING purpose, subject, value, used, expires_at`, hex.EncodeToString(hash), purpose, now())
}

// useLink marks a link as used together with its effect, so that a failure does not use it up. A nil hash means that
// there is no link.
func useLink(ctx context.Context, tx *sql.Tx, hash []byte) error {
	if hash == nil {
		return nil
	}
	return database.ChangeOne(ctx, tx, account.ErrNoVerification,
		`UPDATE verifications SET used = 1 WHERE hash = $1 AND used = 0 AND expires_at > $2`, hex.EncodeToString(hash),
		now())
}

// VerificationValues returns the values of the unexpired tokens for a purpose about a subject.
func (d *DB) VerificationValues(ctx context.Context, purpose, subject string) ([]string, error) {
	return database.All[string](ctx, d.Reader, "reading verifications",
		`SELECT value FROM verifications WHERE subject = $1 AND purpose = $2 AND expires_at > $3`, subject, purpose,
		now())
}
