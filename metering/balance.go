package metering

import "time"

// Period returns the billing period of a time: the calendar month in UTC, such as 2026-11. Nothing needs to happen at
// its end: usage is counted per period, so the next period starts at zero.
func Period(at time.Time) string { return at.UTC().Format("2006-01") }

// Day returns the UTC day for which calls are counted, such as 2026-11-20.
func Day(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// Balance is an account's use of credits in one period. It does not include the plan's credits: each charge reads them
// from the current plan.
type Balance struct {
	// Used counts the credits charged.
	Used int64
	// Given counts the credits that the operator granted on top of the plan's.
	Given int64
}

// Total returns the credits of the period under a plan with a monthly allowance, or Unlimited.
func (b Balance) Total(monthly int64) int64 {
	if monthly == Unlimited {
		return Unlimited
	}
	return monthly + b.Given
}

// Remaining returns the credits left under a plan with a monthly allowance, or Unlimited. It is 0 if more were used
// under a larger plan.
func (b Balance) Remaining(monthly int64) int64 {
	if monthly == Unlimited {
		return Unlimited
	}
	return max(0, b.Total(monthly)-b.Used)
}

// Take uses credits if enough are left under a plan with a monthly allowance, and reports whether it did.
func (b *Balance) Take(credits, monthly int64) bool {
	if monthly != Unlimited && b.Remaining(monthly) < credits {
		return false
	}

	b.Used += credits
	return true
}
