package metering

import (
	"context"
	"time"
)

// Charge is the price of a call, with the data to record about it.
type Charge struct {
	// Account pays. Key is the id of the API key that was used; empty for none.
	Account, Key string
	// Operation is the called operation.
	Operation string
	// Credits is the price, at least 1.
	Credits int64
	// Monthly is the credits of the account's current plan, or Unlimited.
	Monthly int64
	// Hit is true if no registry was queried.
	Hit bool
	// Continues is true if the call was already charged in part: it does not count as another call.
	Continues bool
	// Repeatable is the key under which the account may repeat the call without paying twice, or empty. The journal
	// adds the charge to the amount paid under it.
	Repeatable string
}

// Settlement is the outcome of a charge.
type Settlement struct {
	// Charged is false if too few credits were left; then nothing was written.
	Charged bool
	// Balance is the account's balance afterwards.
	Balance Balance
}

// Calls are an account's successful calls of an operation in one day.
type Calls struct {
	Account string
	// Day is a day in UTC, such as 2026-11-20.
	Day       string
	Operation string
	// Calls counts the calls, Hits the calls that needed no registry, and Credits their cost.
	Calls, Hits, Credits int64
}

// Journal is the durable storage of credits. Several processes may share one.
type Journal interface {
	// Settle makes the charges that the credits of the current period cover, in order, each with a separate entry, and
	// counts the calls. It returns a durable settlement for each charge. It is atomic: if it returns an error, nothing
	// was written, unless the connection was lost before the outcome was known.
	Settle(ctx context.Context, at time.Time, charges []Charge) ([]Settlement, error)
	// Balance returns an account's balance in a period.
	Balance(ctx context.Context, account, period string) (Balance, error)
	// Count adds free calls. No two elements have the same account, operation and day.
	Count(ctx context.Context, calls []Calls) error
	// Prune deletes some of the expired entries. It reports whether there may be more.
	Prune(ctx context.Context, at time.Time) (more bool, err error)
}
