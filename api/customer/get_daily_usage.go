package customer

import (
	"context"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

type getDailyUsageInput struct {
	From ro.Date `arg:"from" doc:"First day (UTC), YYYY-MM-DD; default 30 days before to." example:"2026-11-01"`
	To   ro.Date `arg:"to" doc:"Last day (UTC), YYYY-MM-DD, at most 397 days after from; default today." example:"2026-11-20"`
}

// DailyUsage is the number of an account's calls by day.
type DailyUsage struct {
	From ro.Date    `json:"from" doc:"First day requested."`
	To   ro.Date    `json:"to" doc:"Last day requested."`
	Days []UsageDay `json:"days" doc:"The days with calls, ascending."`
}

// UsageDay is the number of an account's calls on a day.
type UsageDay struct {
	Date       string           `json:"date" doc:"Day in UTC, YYYY-MM-DD."`
	Credits    int64            `json:"credits" doc:"Credits charged."`
	Calls      int64            `json:"calls" doc:"Successful calls."`
	Operations []UsageOperation `json:"operations" doc:"The same by operation."`
}

// UsageOperation is the number of an account's calls of an operation on a day.
type UsageOperation struct {
	Operation string `json:"operation" doc:"Name of the operation."`
	Credits   int64  `json:"credits" doc:"Credits charged."`
	Calls     int64  `json:"calls" doc:"Successful calls, including free ones."`
	Hits      int64  `json:"hits" doc:"Calls answered without querying a registry."`
}

const (
	maxUsageDays     = 397 // 13 months
	defaultUsageDays = 30
)

// GetDailyUsage returns the operation get_daily_usage.
func GetDailyUsage(usage Usage) *op.Operation {
	return op.Define(op.Spec{
		Name: "get_daily_usage", Method: "GET", Path: "/v1/usage/daily", Tag: tag.Account, Account: true,
		Title: "Get daily calls and credits",
		Description: "Successful calls of the caller's account and the credits charged for them, by day (UTC) and " +
			"operation, for the last 13 months. Free calls appear within a minute or two. Days without calls are " +
			"omitted. Needs a key or a session. Free.",
	}, func(ctx context.Context, caller account.Caller, in getDailyUsageInput) (op.Answer[DailyUsage], error) {
		if err := in.settleRange(); err != nil {
			return op.Answer[DailyUsage]{}, err
		}

		calls, err := usage.Usage(ctx, caller.Account(), in.From.String(), in.To.String())
		if err != nil {
			return op.Answer[DailyUsage]{}, storeError(ctx, err)
		}

		return op.Answer[DailyUsage]{Value: DailyUsage{in.From, in.To, usageDays(calls)}}, nil
	})
}

func (in *getDailyUsageInput) settleRange() error {
	if in.To == 0 {
		in.To = ro.DateIn(time.Now(), time.UTC)
	}
	if in.From == 0 {
		in.From = in.To - defaultUsageDays
	}

	switch {
	case in.From > in.To:
		return op.EndsBeforeItBegins(in.From, in.To)
	case in.To-in.From > maxUsageDays:
		return op.TooLongRange(in.From, in.To, maxUsageDays, in.To-maxUsageDays)
	}

	return nil
}

func usageDays(calls []metering.Calls) []UsageDay {
	days := []UsageDay{}
	for _, c := range calls {
		if len(days) == 0 || days[len(days)-1].Date != c.Day {
			days = append(days, UsageDay{Date: c.Day})
		}

		day := &days[len(days)-1]
		day.Credits += c.Credits
		day.Calls += c.Calls
		day.Operations = append(day.Operations, UsageOperation{c.Operation, c.Credits, c.Calls, c.Hits})
	}

	return days
}
