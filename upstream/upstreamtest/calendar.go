package upstreamtest

import (
	"time"

	"github.com/rodata/rodata/api"
)

// firstFixing is the first day in the central bank's archive.
var firstFixing = api.NewDate(2005, time.January, 3)

// publishedAt is the instant at which the central bank puts out a day's fixing:
// 13:02:03 in Bucharest (Last-Modified of its files in April and August 2026).
func publishedAt(day api.Date) time.Time {
	y, m, d := day.UTC().Date()
	return time.Date(y, m, d, 13, 2, 3, 0, api.Bucharest)
}

// hasFixing reports whether the central bank publishes on a day. The rule gives
// exactly the fixings seen of 2018, 2022, 2023, 2024 and 2026; earlier years had
// fewer holidays.
func hasFixing(day api.Date) bool {
	if wd := day.Weekday(); wd == time.Saturday || wd == time.Sunday || day < firstFixing {
		return false
	}
	year, month, d := day.UTC().Date()
	switch easter := orthodoxEaster(year); day {
	case easter + 1, easter + 50: // Easter Monday, Whit Monday
		return false
	case easter - 2: // Good Friday
		return year < 2018
	}

	switch (monthDay{month, d}) {
	case monthDay{time.January, 1}, monthDay{time.January, 2}, monthDay{time.January, 24},
		monthDay{time.May, 1}, monthDay{time.June, 1}, monthDay{time.August, 15}, monthDay{time.November, 30},
		monthDay{time.December, 1}, monthDay{time.December, 25}, monthDay{time.December, 26}:
		return false
	case monthDay{time.January, 6}, monthDay{time.January, 7}:
		return year < 2024
	}

	return true
}

type monthDay struct {
	month time.Month
	day   int
}

// orthodoxEaster is Easter Sunday of the eastern churches, by Meeus's rule for
// the Julian calendar; the 13 days to ours hold from 1900 to 2099.
func orthodoxEaster(year int) api.Date {
	a, b, c := year%4, year%7, year%19
	d := (19*c + 15) % 30
	e := (2*a + 4*b - d + 34) % 7
	f := d + e + 114
	return api.NewDate(year, time.Month(f/31), f%31+1) + 13
}

// lastFixing is the day of the newest fixing that is out at an instant.
func lastFixing(now time.Time) api.Date {
	day := api.DateIn(now, api.Bucharest)
	for !hasFixing(day) || publishedAt(day).After(now) {
		if day--; day < firstFixing {
			return 0
		}
	}
	return day
}
