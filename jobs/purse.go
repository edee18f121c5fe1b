package jobs

import (
	"context"
	"errors"
)

// Purse takes credits from accounts.
type Purse interface {
	// Hold reserves credits of an account for a job: the requested number, or as many as are left.
	Hold(ctx context.Context, account, key string, credits int) (Hold, error)
	// Remaining returns the credits that an account has left. It reports false if they have no limit.
	Remaining(ctx context.Context, account string) (int64, bool)
}

// Hold is a reservation of credits.
type Hold interface {
	// Pay charges a price durably. Within a day, a name is charged only once, even if Pay is called again. It returns
	// ErrExhausted if too few credits are left, and ErrPaying while another process pays for the same name.
	Pay(ctx context.Context, name string, credits int) error
	Release()
}

// Errors of Hold.
var (
	ErrExhausted = errors.New("the account's credits are used up")
	ErrPaying    = errors.New("the price is being paid by another process")
)
