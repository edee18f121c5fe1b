package metering

import (
	"context"
	"time"
)

// Charge is a call that is to be paid for.
type Charge struct {
	// Account pays. Key is the id of the API key that was used; empty for none.
	Account, Key string
	// Operation is what was called.
	Operation string
	// Credits is the price, above 0.
	Credits int64
	// Monthly are the credits that the account's plan has now, or Unlimited.
	Monthly int64
	// Hit says that no registry had to be asked.
	Hit bool
}

// Verdict is what became of a charge.
type Verdict struct {
	// Charged is false when too few credits were left; then nothing was written.
	Charged bool
	// Balance is the account's after that.
	Balance Balance
}

// Calls are the successful calls of an operation that an account made in one day.
type Calls struct {
	Account string
	// Day is a day in UTC, as 2026-11-20.
	Day       string
	Operation string
	// Calls is their number, Hits that of those for which no registry had to be
	// asked, and Credits what they cost.
	Calls, Hits, Credits int64
}

// Journal is what a Ledger asks of the place where credits are kept. Several
// processes may use one place.
type Journal interface {
	// Settle charges what there are credits for in the period of an instant, in the
	// order given, each charge with an entry of its own, and counts the calls.
	// There is a verdict for each charge, and what they say is durable. All of it
	// is done, or none of it when there is an error; only after a lost connection
	// can an error leave that open.
	Settle(ctx context.Context, at time.Time, charges []Charge) ([]Verdict, error)
	// Balance is an account's balance in a period.
	Balance(ctx context.Context, account, period string) (Balance, error)
	// Count counts calls that cost nothing, each sum of a day once.
	Count(ctx context.Context, calls []Calls) error
	// Prune deletes a part of what need not be kept any longer at an instant. It
	// reports whether there may be more to delete.
	Prune(ctx context.Context, at time.Time) (more bool, err error)
}
