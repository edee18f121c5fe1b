package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/problem"
	"github.com/rodata/rodata/metering"
)

// reserve sets the price of the call aside in the account's month. The hold is
// nil when there is no price: free operations have none, nor have anonymous
// callers, who are limited by address.
func (g *Gateway) reserve(ctx context.Context, op *Operation, caller *account.Caller) (*metering.Hold, error) {
	if op.Cost == 0 || caller.Plan == nil {
		return nil, nil
	}
	charge := metering.Charge{Account: caller.Account(), Operation: op.Name, Credits: int64(op.Cost), Monthly: caller.Plan.MonthlyCredits}
	if caller.Key != nil {
		charge.Key = caller.Key.ID
	}
	hold, err := g.Ledger.Reserve(ctx, charge)
	if err != nil {
		return nil, unpaid(ctx, caller.Plan, err)
	}
	return hold, nil
}

// settle charges a call that has succeeded, before anything of its answer is
// sent, or counts it when it costs nothing: a charge is for data, and neither 304
// nor HEAD sends any.
func (g *Gateway) settle(ctx context.Context, op *Operation, call *Call, caller *account.Caller, hold *metering.Hold, reply *Reply) error {
	hit := reply.Cache == Hit
	switch {
	case caller.Plan == nil:
		return nil
	case hold == nil, reply.Status == http.StatusNotModified, call.Head:
		g.Ledger.CountFree(caller.Account(), op.Name, hit)
		return nil
	}
	remaining, err := hold.Settle(ctx, hit)
	if err != nil {
		return unpaid(ctx, caller.Plan, err)
	}
	reply.Cost, reply.Credits = op.Cost, remaining // Unlimited is negative, which is not told
	return nil
}

// remaining says how much is left to a caller with an account, when no charge
// said so.
func (g *Gateway) remaining(ctx context.Context, caller *account.Caller, reply *Reply) {
	if caller.Plan == nil || reply.Cost > 0 {
		return
	}
	if n, known := g.Ledger.Remaining(ctx, caller.Account(), caller.Plan.MonthlyCredits); known {
		reply.Credits = n
	}
}

// unpaid is why a call is not charged, and so not answered.
func unpaid(ctx context.Context, plan *metering.Plan, err error) error {
	switch {
	case errors.Is(err, metering.ErrExhausted):
		now := time.Now().UTC()
		next := NewDate(now.Year(), now.Month()+1, 1)
		return problem.QuotaExhausted.New("the credits of %s are used up: the plan %s has %d a month; change to a plan with more (GET /v1/plans), or wait until %s, 00:00 UTC. get_usage (GET /v1/usage) says what was used; operations that cost nothing go on working",
			metering.Period(now), plan.Name, plan.MonthlyCredits, next)
	case ctx.Err() != nil:
		return err
	}
	return fmt.Errorf("%w: %w", account.ErrStoreDown, err)
}
