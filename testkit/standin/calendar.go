package standin

import (
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/holidays"
)

// firstFixing is the first day in the central bank's archive.
var firstFixing = ro.NewDate(2005, time.January, 3)

// publishedAt returns the time at which the central bank publishes a day's fixing: 13:02:03 in Bucharest (Last-Modified
// of its files in April and August 2026).
func publishedAt(day ro.Date) time.Time {
	y, m, d := day.UTC().Date()
	return time.Date(y, m, d, 13, 2, 3, 0, ro.Bucharest)
}

// hasFixing reports whether the central bank publishes on a day.
func hasFixing(day ro.Date) bool { return day >= firstFixing && holidays.BankDay(day) }

// lastFixing returns the day of the newest fixing that has been published at a given time, or 0.
func lastFixing(now time.Time) ro.Date {
	day := ro.DateIn(now, ro.Bucharest)
	for !hasFixing(day) || publishedAt(day).After(now) {
		if day--; day < firstFixing {
			return 0
		}
	}

	return day
}
