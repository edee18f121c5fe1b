package bnr

import (
	"time"

	"github.com/rodata/rodata/api"
)

// The bank publishes at 13:02:03 in Bucharest, in its own words "shortly after
// 13:00" (seen in Last-Modified on 2026-04-08 and 2026-08-19). From opening on,
// the day's fixing is looked for often, later less and less.
const (
	opening = 13 * time.Hour
	slower  = 14 * time.Hour
	late    = 15 * time.Hour // a fixing that is not there by now counts as missed
	closing = 17 * time.Hour

	pollOpen    = 30 * time.Second
	pollSlower  = 5 * time.Minute
	pollClosed  = time.Hour
	maxJitter   = 20 * time.Second
	firstRetry  = 30 * time.Second
	openRetry   = 5 * time.Minute // the longest rest while a fixing is awaited
	maxRetry    = time.Hour
	checkMayRun = 15 * time.Second // how late a check may be before an answer waits for it
)

// nextCheck is when the bank is to be asked again for its latest fixing, after
// it was asked at an instant and its latest was that of a day. The jitter delays
// the day's first question, so that not all gateways ask in the same second.
func nextCheck(asked time.Time, newest api.Date, jitter time.Duration) time.Time {
	today := api.DateIn(asked, api.Bucharest)
	start := clock(today, opening).Add(jitter)
	switch {
	case newest >= today:
		return clock(today+1, opening).Add(jitter)
	case asked.Before(start):
		if newest < expectedBefore(today) { // one was missed: it may still come
			return earlier(asked.Add(pollClosed), start)
		}
		return start
	case !Publishes(today), !asked.Before(clock(today, closing)):
		return earlier(asked.Add(pollClosed), clock(today+1, opening).Add(jitter))
	case asked.Before(clock(today, slower)):
		return asked.Add(pollOpen)
	}

	return asked.Add(pollSlower)
}

// clock is the instant at which Bucharest's clocks show a time of a day, also on
// the days when they change (at 3 and 4 in the morning).
func clock(day api.Date, t time.Duration) time.Time {
	y, m, d := day.UTC().Date()
	return time.Date(y, m, d, int(t/time.Hour), 0, 0, 0, api.Bucharest)
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// nextRetry is when to ask the bank again after it failed a number of times in a
// row: after half a minute, then twice as long each time, up to an hour; but
// within five minutes, or as soon as the schedule says, when a fixing is awaited.
func nextRetry(now time.Time, failures int, newest api.Date, jitter time.Duration) time.Time {
	rest := min(firstRetry<<min(failures-1, 8), maxRetry)
	scheduled := nextCheck(now, newest, jitter).Sub(now)
	return now.Add(min(rest, max(scheduled, openRetry)))
}

// missed counts the publications that should have been there and were not.
func missed(newest api.Date, now time.Time) int {
	today := api.DateIn(now, api.Bucharest)
	if now.Before(clock(today, late)) {
		today--
	}
	return expected(newest, today)
}
