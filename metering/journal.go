package metering

import (
	"context"
	"time"
)

// Charge is a priced call.
type Charge struct {
	// Account pays. Key is the id of the API key that was used; empty for none.
	Account, Key string
	// Operation is the called operation.
	Operation string
	// Credits is the price, at least 1.
	Credits int64
	// Monthly is the credits of the account's current plan, or Unlimited.
	Monthly int64
	// Hit is true if no registry was asked.
	Hit bool
	// Continues is true if the call was already charged in part: it does not count as another call.
	Continues bool
	// Repeatable is the key under which the account may repeat the call without paying twice; empty for none. The
	// journal adds the charge to the amount paid under it.
	Repeatable string
}

// Verdict is the outcome of a charge.
type Verdict struct {
	// Charged is false if too few credits were left; then nothing was written.
	Charged bool
	// Balance is the account's balance afterwards.
	Balance Balance
}

// Calls are an account's successful calls of an operation in one day.
type Calls struct {
	Account string
	// Day is a day in UTC, as 2026-11-20.
	Day       string
	Operation string
	// Calls is their number, Hits the number of those for which no registry was asked,
	// and Credits their cost.
	Calls, Hits, Credits int64
}

// Journal is the durable storage of credits. Several processes may share one.
type Journal interface {
	// Settle makes the charges that the credits of the current period cover, in order, each with a separate entry, and
	// counts the calls. It returns a durable verdict for each charge. It is atomic: on an error nothing is written,
	// except that a lost connection can leave that open.
	Settle(ctx context.Context, at time.Time, charges []Charge) ([]Verdict, error)
	// Balance returns an account's balance in a period.
	Balance(ctx context.Context, account, period string) (Balance, error)
	// Count adds free calls; each sum occurs once.
	Count(ctx context.Context, calls []Calls) error
	// Prune deletes some of the expired entries. It reports whether there may be more.
	Prune(ctx context.Context, at time.Time) (more bool, err error)
}
