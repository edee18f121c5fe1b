package store

import (
	"context"

	"github.com/rodata/rodata/account"
)

// UserOfAccount finds the user of an account; account.ErrNoUser if the account was opened without an address or its
// owner has left.
func (d *DB) UserOfAccount(ctx context.Context, id string) (account.User, error) {
	return d.oneUser(ctx, userQuery+`WHERE u.account_id = $1`, id)
}
