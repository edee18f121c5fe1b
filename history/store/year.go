package store

import (
	"time"

	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/ro"
)

// year is a row of looks: the days of a year on which a company was looked at.
type year struct {
	Year   int
	Months [12]uint32 // bit 0 is the first day
}

// yearColumns are the year, and its months as JSON.
const yearColumns = `year, '[' || month_1 || ',' || month_2 || ',' || month_3 || ',' || month_4 || ',' || month_5 ||
	',' || month_6 || ',' || month_7 || ',' || month_8 || ',' || month_9 || ',' || month_10 || ',' || month_11 || ',' ||
	month_12 || ']' AS months`

// has reports whether the company was looked at on a day of the year.
func (y *year) has(day ro.Date) bool {
	_, month, date := day.UTC().Date()
	return y.Months[month-1]&(1<<(date-1)) != 0
}

// confirmations returns the days, in order.
func (y *year) confirmations() (all []history.Confirmation) {
	for day := ro.NewDate(y.Year, time.January, 1); day.Year() == y.Year; day++ {
		if y.has(day) {
			all = append(all, history.Confirmation{Day: day, On: day})
		}
	}

	return all
}
