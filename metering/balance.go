package metering

import "time"

// Period is the billing period of an instant: the calendar month in UTC, such as 2026-11.
// Nothing happens at its end; the next one begins with nothing used.
func Period(at time.Time) string { return at.UTC().Format("2006-01") }

// Day is the day in UTC to which calls are counted, such as 2026-11-20.
func Day(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// Balance is an account's use of credits in one period. It does not include the plan's
// credits, which are those of the plan at the moment of each charge.
type Balance struct {
	// Used counts the credits charged.
	Used int64
	// Given counts the credits that the operator added to the plan's.
	Given int64
}

// Total is the credits of the period under a plan with so many a month, or Unlimited.
func (b Balance) Total(monthly int64) int64 {
	if monthly == Unlimited {
		return Unlimited
	}
	return monthly + b.Given
}

// Remaining is the credits left under a plan with so many a month, or Unlimited. It is 0
// when more were used under a larger plan.
func (b Balance) Remaining(monthly int64) int64 {
	if monthly == Unlimited {
		return Unlimited
	}
	return max(0, b.Total(monthly)-b.Used)
}

// Take uses credits, if enough are left under a plan with so many a month.
func (b *Balance) Take(credits, monthly int64) bool {
	if monthly != Unlimited && b.Remaining(monthly) < credits {
		return false
	}
	b.Used += credits
	return true
}
