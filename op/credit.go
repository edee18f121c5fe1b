package op

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// reserve holds the price of the call in the account's monthly credits. The hold is nil if the call is free, and for
// anonymous callers, who are limited by address.
func (g *Gateway) reserve(ctx context.Context, op *Operation, caller *account.Caller, credits int,
	repeatable string) (*metering.Hold, error) {
	if credits == 0 || caller.Plan == nil {
		return nil, nil
	}

	charge := metering.Charge{
		Account: caller.Account(), Operation: op.Name, Credits: int64(credits), Monthly: caller.Plan.MonthlyCredits,
		Repeatable: repeatable,
	}
	if caller.Key != nil {
		charge.Key = caller.Key.ID
	}

	hold, err := g.Ledger.Reserve(ctx, charge)
	if err != nil {
		return nil, g.unpaid(ctx, op, caller, credits, err)
	}

	return hold, nil
}

// settle charges a successful call before any part of its answer is sent. It only counts free calls, including 304,
// which sends no data. HEAD is charged like GET, because its headers tell much of the answer.
func (g *Gateway) settle(ctx context.Context, op *Operation, caller *account.Caller, hold *metering.Hold,
	reply *Reply) error {
	hit := reply.Cache == Hit
	switch {
	case caller.Plan == nil:
		return nil
	case hold == nil, reply.Status == http.StatusNotModified:
		g.Ledger.CountFree(caller.Account(), op.Name, hit)
		return nil
	}

	remaining, err := hold.Settle(ctx, hit)
	if err != nil {
		return g.unpaid(ctx, op, caller, op.Cost, err)
	}

	reply.Cost, reply.Credits = op.Cost, remaining // Unlimited is negative and not sent
	return nil
}

// setRemaining sets the remaining credits of the account in the reply, unless a charge has already set them.
func (g *Gateway) setRemaining(ctx context.Context, caller *account.Caller, reply *Reply) {
	if caller.Plan == nil || reply.Cost > 0 {
		return
	}
	if n, known := g.Ledger.Remaining(ctx, caller.Account(), caller.Plan.MonthlyCredits); known {
		reply.Credits = n
	}
}

// unpaid is the problem of a call that the account cannot be charged for.
func (g *Gateway) unpaid(ctx context.Context, op *Operation, caller *account.Caller, credits int, err error) error {
	plan := caller.Plan
	switch {
	case errors.Is(err, metering.ErrExhausted) && (op.HasRows() || op.sells):
		price, done := "this list may cost up to", "looked up"
		if op.sells {
			price, done = "this costs", "changed"
		}
		if op.exports {
			done = "sent"
		}

		left, _ := g.Ledger.Remaining(ctx, caller.Account(), plan.MonthlyCredits)
		p := problem.QuotaExhausted.New("%s %d credits, but the plan %s has %d left for %s; nothing was %s or "+
			"charged. Request fewer items, or change to a plan with more (GET /v1/plans)",
			price, credits, plan.Name, left, metering.Period(time.Now().UTC()), done)
		p.Extensions = struct {
			Needed    int   `json:"needed"`
			Remaining int64 `json:"remaining"`
		}{credits, left}
		return p
	case errors.Is(err, metering.ErrExhausted):
		now := time.Now().UTC()
		next := ro.NewDate(now.Year(), now.Month()+1, 1)
		return problem.QuotaExhausted.New("the credits of %s are used up: the plan %s has %d a month; change to a "+
			"plan with more (GET /v1/plans), or wait until %s, 00:00 UTC. get_usage (GET /v1/usage) shows what was "+
			"used; free operations still work",
			metering.Period(now), plan.Name, plan.MonthlyCredits, next)
	case ctx.Err() != nil:
		return err
	}

	return fmt.Errorf("%w: %w", account.ErrStoreDown, err)
}
