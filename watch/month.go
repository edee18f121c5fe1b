package watch

import "time"

// Month is a calendar month in UTC, for which watched companies are paid: 202611 is November 2026.
type Month int

// MonthOf returns the month of a time.
func MonthOf(at time.Time) Month {
	year, month, _ := at.UTC().Date()
	return Month(year*100 + int(month))
}
