package jobs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/job"
	"github.com/rodata/rodata/op/problem"
)

const (
	// chargeTime bounds a charge, which is completed even when the process stops.
	chargeTime = 10 * time.Second
	// nameTime is the time within which a charge can be repeated without paying twice. It is a little shorter than the
	// retention of idempotency keys, which name the charges.
	nameTime = account.RepeatFor - time.Hour
	// firstRetry is the pause before failed rows are retried; it doubles up to lastRetry.
	firstRetry = time.Minute
	lastRetry  = time.Hour
)

// price marks the rows to be charged, and returns their number.
func (r *run) price(outcomes []Outcome) (credits int) {
	for i := range outcomes {
		o := &outcomes[i]
		if o.Status != http.StatusOK || o.Incomplete || o.Paid {
			continue
		}
		if company := r.companyOf(o); !r.paid[company] {
			r.paid[company], o.Paid = true, true
			credits++
		}
	}

	return credits
}

// charge charges the price of a chunk and settles the chunk. It continues even if the context ends in the meantime.
func (r *run) charge(ctx context.Context, c *Chunk) (later time.Time, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), chargeTime)
	defer cancel()
	if c.Price > 0 {
		switch err := r.pay(ctx, c); {
		case errors.Is(err, ErrPaying):
			return time.Now().Add(postponement), nil
		case errors.Is(err, ErrExhausted):
			return time.Time{}, r.end(ctx, job.Failed, r.unpaid(ctx))
		case err != nil:
			return time.Time{}, err
		}
	}

	now := time.Now()
	state, due := r.stateOf(c, now)
	return time.Time{}, r.Store.Settle(ctx, r.job.ID, c, state, due, now)
}

// pay charges the price of a chunk once. If the charge began long ago, its name has been forgotten, and it is unknown
// whether it was paid. It then counts as paid.
func (r *run) pay(ctx context.Context, c *Chunk) error {
	if time.Since(c.Due) > nameTime {
		r.Log.Error("it is unknown whether a chunk of a job was charged; it counts as paid", "job", r.job.ID, "chunk",
			c.Number, "credits", c.Price)
		return nil
	}

	return r.hold.Pay(ctx, fmt.Sprintf("job %s rows %d pass %d", r.job.ID, c.Number, c.Pass), c.Price)
}

// unpaid returns the problem of a job that its account cannot pay for any more.
func (r *run) unpaid(ctx context.Context) *Problem {
	if fresh, err := r.Store.Job(ctx, "", r.job.ID); err == nil {
		r.job = fresh
	}
	return newProblem(problem.QuotaExhausted.New("the account's credits of the month were used up by other calls "+
		"after %d of %d rows; the result has the rows until then. Change to a plan with more credits (GET /v1/plans) "+
		"and upload the others", r.job.Done, r.job.Total))
}

// stateOf returns the next state of a chunk that has been charged. Failed rows are retried until the job is a day old.
func (r *run) stateOf(c *Chunk, now time.Time) (ChunkState, time.Time) {
	if c.Failed == 0 || r.isTooLate(now) {
		return Settled, time.Time{}
	}

	due := now.Add(min(firstRetry<<min(c.Pass-1, 10), lastRetry))
	if last := r.job.CreatedAt.Add(TriedFor); due.After(last) {
		due = last
	}

	return Retrying, due
}

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
