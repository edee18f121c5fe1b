package bnr

import (
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/holidays"
)

// firstDay is the first fixing of the bank's archive.
var firstDay = ro.NewDate(2005, time.January, 3)

// countExpected counts the days in (after, to] on which the bank should have published. The calendar only saves
// requests and raises alarms; the documents are authoritative.
func countExpected(after, to ro.Date) int {
	n := 0
	for day := max(after, firstDay-1) + 1; day <= to; day++ {
		if holidays.BankDay(day) {
			n++
		}
	}

	return n
}

// expectedBefore returns the last day before a given one on which the bank should have published.
func expectedBefore(day ro.Date) ro.Date {
	for day--; !holidays.BankDay(day); day-- {
	}
	return day
}
