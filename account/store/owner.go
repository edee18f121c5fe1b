package store

import (
	"context"

	"github.com/rodata/rodata/account"
)

// UserOfAccount finds whose an account is; the error is account.ErrNoUser when
// nobody signs in to it, as to one that was opened without an address, or whose
// owner has left.
func (d *DB) UserOfAccount(ctx context.Context, id string) (account.User, error) {
	return oneUser(d.Reader.QueryRowContext(ctx, `SELECT `+userColumns+` FROM users u WHERE u.account_id = $1`, id))
}
