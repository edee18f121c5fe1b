package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/metering"
)

// Balance implements metering.Journal.
func (d *DB) Balance(ctx context.Context, owner, period string) (metering.Balance, error) {
	return database.One[metering.Balance](ctx, d.Reader, "reading the balance of account "+owner+" in "+period, nil,
		`SELECT used, given FROM credits WHERE account_id = $1 AND period = $2`, owner, period)
}

// maxGift prevents overflow in the sum of repeated gifts.
const maxGift = 1_000_000_000_000

// GiveCredits gives an account n credits in addition to its plan's, from 1 to 10^12, for a period as formatted by
// metering.Period. They take effect at once, or within a second if the account has just been refused. GiveCredits
// returns account.ErrNoAccount if there is no such account, or it is closed.
func (d *DB) GiveCredits(ctx context.Context, owner, period string, n int64) error {
	if n < 1 || n > maxGift {
		return fmt.Errorf("giving %d credits to account %s: want from 1 to %d", n, owner, maxGift)
	}

	err := d.Transact(ctx, func(tx *sql.Tx) error {
		return cmp.Or(LockAccount(ctx, tx, owner), database.Exec(ctx, tx,
			`INSERT INTO credits (account_id, period, used, given) VALUES ($1, $2, 0, $3)
			 ON CONFLICT (account_id, period) DO UPDATE SET given = credits.given + excluded.given`, owner, period, n))
	})
	return database.Wrap(fmt.Sprintf("giving %d credits to account %s", n, owner), err, account.ErrNoAccount)
}
