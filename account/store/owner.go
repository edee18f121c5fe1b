package store

import (
	"context"

	"github.com/rodata/rodata/account"
)

// UserOfAccount finds the user of an account. It returns account.ErrNoUser if the account was opened without an
// address, or its user has been deleted.
func (d *DB) UserOfAccount(ctx context.Context, id string) (account.User, error) {
	return d.oneUser(ctx, userQuery+`WHERE u.account_id = $1`, id)
}
