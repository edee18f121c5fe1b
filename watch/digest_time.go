package watch

import (
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/ro"
)

// digestHour is the hour, in Bucharest, at which digests are sent; weekly ones are sent on Mondays.
const digestHour = 8

// nextDigest returns the next time after a given one at which a digest of a kind is due. It is zero for
// monitoring.NoDigest.
func nextDigest(kind monitoring.Digest, after time.Time) time.Time {
	if kind == monitoring.NoDigest {
		return time.Time{}
	}

	year, month, day := after.In(ro.Bucharest).Date()
	for ; ; day++ { // a day has 23 to 25 hours
		due := time.Date(year, month, day, digestHour, 0, 0, 0, ro.Bucharest)
		if due.After(after) && (kind == monitoring.DailyDigest || due.Weekday() == time.Monday) {
			return due
		}
	}
}

// digestStart returns the start of the period that a digest covers: the time at which the previous one was due.
func digestStart(kind monitoring.Digest, due time.Time) time.Time {
	days := 1
	if kind == monitoring.WeeklyDigest {
		days = 7
	}
	return due.In(ro.Bucharest).AddDate(0, 0, -days)
}
