package bnr

import (
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/holidays"
)

// The bank publishes at 13:02:03 in Bucharest; it says "shortly after 13:00" (Last-Modified on 2026-04-08 and
// 2026-08-19). Polling for the day's fixing is frequent at first, and then becomes rarer.
const (
	opening = 13 * time.Hour
	slower  = 14 * time.Hour
	late    = 15 * time.Hour // a fixing missing at this time counts as missed
	closing = 17 * time.Hour

	pollOpen    = 30 * time.Second
	pollSlower  = 5 * time.Minute
	pollClosed  = time.Hour
	maxJitter   = 20 * time.Second
	firstRetry  = 30 * time.Second
	openRetry   = 5 * time.Minute // the longest pause while a fixing is expected
	maxRetry    = time.Hour
	checkMayRun = 15 * time.Second // the delay of a check after which an answer waits for it
)

// nextCheck returns the time of the next request for the latest fixing, given the time of the last check and the day of
// the fixing that it found. The jitter delays the first check of a day, so that gateways do not all ask in the same
// second.
func nextCheck(last time.Time, newest ro.Date, jitter time.Duration) time.Time {
	today := ro.DateIn(last, ro.Bucharest)
	start := clock(today, opening).Add(jitter)
	switch {
	case newest >= today:
		return clock(today+1, opening).Add(jitter)
	case last.Before(start):
		if newest < expectedBefore(today) { // a fixing was missed, and may still be published
			return earlier(last.Add(pollClosed), start)
		}
		return start
	case !holidays.BankDay(today), !last.Before(clock(today, closing)):
		return earlier(last.Add(pollClosed), clock(today+1, opening).Add(jitter))
	case last.Before(clock(today, slower)):
		return last.Add(pollOpen)
	}

	return last.Add(pollSlower)
}

// clock returns the time at which clocks in Bucharest show a time of a day. It is also correct on the days of
// daylight-saving changes, which happen at 3 and 4 in the morning.
func clock(day ro.Date, t time.Duration) time.Time {
	y, m, d := day.UTC().Date()
	return time.Date(y, m, d, int(t/time.Hour), 0, 0, 0, ro.Bucharest)
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// nextRetry returns the time of the next request after consecutive failures. The pause starts at half a minute and
// doubles up to an hour. While a fixing is expected, the next request is at most five minutes away, or as scheduled.
func nextRetry(now time.Time, failures int, newest ro.Date, jitter time.Duration) time.Time {
	backoff := min(firstRetry<<min(failures-1, 8), maxRetry)
	scheduled := nextCheck(now, newest, jitter).Sub(now)
	return now.Add(min(backoff, max(scheduled, openRetry)))
}

// countMissed counts the publications that are overdue.
func countMissed(newest ro.Date, now time.Time) int {
	today := ro.DateIn(now, ro.Bucharest)
	if now.Before(clock(today, late)) {
		today--
	}
	return countExpected(newest, today)
}

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
