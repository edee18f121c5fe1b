package metering

import (
	"context"
	"time"
)

// Charge is a call to be paid for.
type Charge struct {
	// Account pays. Key is the id of the API key that was used; empty for none.
	Account, Key string
	// Operation is what was called.
	Operation string
	// Credits is the price, at least 1.
	Credits int64
	// Monthly is the credits of the account's current plan, or Unlimited.
	Monthly int64
	// Hit is true when no registry was asked.
	Hit bool
	// Continues is true when the call was charged in part before: it does not count as
	// another call.
	Continues bool
	// Repeatable is the key under which the account may repeat the call without paying
	// twice; empty for none. The journal adds the charge to what was paid under it.
	Repeatable string
}

// Verdict is the outcome of a charge.
type Verdict struct {
	// Charged is false when too few credits were left; then nothing was written.
	Charged bool
	// Balance is the account's after that.
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
	// Settle makes the charges for which there are credits in the period of an
	// instant, in order, each with an entry of its own, and counts the calls. There
	// is a durable verdict for each charge. It is atomic: on an error nothing is
	// done, except that a lost connection can leave that open.
	Settle(ctx context.Context, at time.Time, charges []Charge) ([]Verdict, error)
	// Balance returns an account's balance in a period.
	Balance(ctx context.Context, account, period string) (Balance, error)
	// Count adds free calls, each sum once.
	Count(ctx context.Context, calls []Calls) error
	// Prune deletes some of the entries that have expired. It reports whether there
	// may be more.
	Prune(ctx context.Context, at time.Time) (more bool, err error)
}
