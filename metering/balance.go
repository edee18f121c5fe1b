package metering

import "time"

// Period is the period that the credits of an instant belong to: the calendar
// month in UTC, as 2026-11. Nothing happens when it ends; the next one begins
// with nothing used.
func Period(at time.Time) string { return at.UTC().Format("2006-01") }

// Day is the day that the calls of an instant are counted to, in UTC, as
// 2026-11-20.
func Day(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// Balance is what has become of an account's credits in one period. The plan's
// credits are not in it: they are those of the plan at the moment of each charge.
type Balance struct {
	// Used are the credits charged.
	Used int64
	// Given are credits beyond the plan's, from the operator.
	Given int64
}

// Total are the credits of the period with a plan that has so many a month, or
// Unlimited.
func (b Balance) Total(monthly int64) int64 {
	if monthly == Unlimited {
		return Unlimited
	}
	return monthly + b.Given
}

// Remaining are the credits left with a plan that has so many a month, or
// Unlimited. It is 0 when a plan that had more let more be used.
func (b Balance) Remaining(monthly int64) int64 {
	if monthly == Unlimited {
		return Unlimited
	}
	return max(0, b.Total(monthly)-b.Used)
}

// Take uses credits, if so many are left with a plan that has so many a month.
func (b *Balance) Take(credits, monthly int64) bool {
	if monthly != Unlimited && b.Remaining(monthly) < credits {
		return false
	}
	b.Used += credits
	return true
}
