package customer

import (
	"context"
	"fmt"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
)

// Usage is the stored usage of accounts.
type Usage interface {
	// Balance returns an account's balance in a period, as formatted by metering.Period.
	Balance(ctx context.Context, account, period string) (metering.Balance, error)
	// Usage returns an account's successful calls by day and operation, between two days inclusive, as formatted by
	// metering.Day.
	Usage(ctx context.Context, account, from, to string) ([]metering.Calls, error)
}

// CreditUsage is an account's usage of credits in a month.
type CreditUsage struct {
	Plan             string    `json:"plan" doc:"Code of the plan."`
	Period           string    `json:"period" doc:"Calendar month (UTC), such as 2026-11."`
	MonthlyCredits   int64     `json:"monthlyCredits" brief:"-1: unlimited." doc:"Credits for the period: the plan's, plus any granted; -1 means unlimited."`
	CreditsUsed      int64     `json:"creditsUsed" doc:"Credits charged in the period."`
	CreditsRemaining *int64    `json:"creditsRemaining" doc:"Credits left in the period; null if unlimited."`
	RateLimit        UsageRate `json:"rateLimit" doc:"Rate limit of the account."`
}

// UsageRate is the rate limit of an account.
type UsageRate struct {
	RPS   int `json:"rps" doc:"Requests per second."`
	Burst int `json:"burst" doc:"Requests at once."`
}

// GetUsage returns the operation get_usage.
func GetUsage(usage Usage) *op.Operation {
	return op.Define(op.Spec{
		Name: "get_usage", Method: "GET", Path: "/v1/usage", Tag: tag.Account, Account: true, Tool: true,
		Scope: account.ReadScope, Title: "Get the credits used and left this month",
		Description: "Plan, credits used and left in the current calendar month (UTC), and rate limit of the " +
			"caller's account. Use it before many paid calls, or when one was refused for lack of credits; to look " +
			"up a company, use get_company or search_companies instead. Needs a key. Free.",
	}, func(ctx context.Context, caller account.Caller, _ struct{}) (op.Answer[CreditUsage], error) {
		plan, period := caller.Plan, metering.Period(time.Now())
		balance, err := usage.Balance(ctx, caller.Account(), period)
		if err != nil {
			return op.Answer[CreditUsage]{}, storeError(ctx, err)
		}

		value := CreditUsage{
			Plan: plan.Code, Period: period, MonthlyCredits: balance.Total(plan.MonthlyCredits),
			CreditsUsed: balance.Used,
			RateLimit:   UsageRate{plan.Rate.N, plan.Rate.Burst},
		}

		if left := balance.Remaining(plan.MonthlyCredits); left != metering.Unlimited {
			value.CreditsRemaining = &left
		}

		return op.Answer[CreditUsage]{Value: value}, nil
	})
}

// storeError is the problem of usage data that cannot be read.
func storeError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("%w: %w", account.ErrStoreDown, err)
}
