package mirror

import (
	"slices"
	"time"

	"github.com/rodata/rodata/ro"
)

const (
	// minDelay and maxDelay bound the time until the next look at a company that keeps failing.
	minDelay, maxDelay = time.Minute, time.Hour
	// maxFailing is the maximum number of failing companies that are remembered.
	maxFailing = 100_000
)

// backoff holds the companies whose last looks failed, so that a company that always fails does not cost a call in each
// sweep. The delay until the next look doubles with each failure.
type backoff map[ro.CUI]delay

type delay struct {
	length time.Duration
	until  time.Time
}

// recordFailure records that a look failed, and reports whether the previous one had succeeded.
func (b *backoff) recordFailure(company ro.CUI, now time.Time) (first bool) {
	if *b == nil {
		*b = backoff{}
	}

	d, known := (*b)[company]
	if !known && len(*b) == maxFailing {
		for other := range *b { // a dropped company is looked at sooner
			delete(*b, other)
			break
		}
	}

	d.length = min(max(2*d.length, minDelay), maxDelay)
	d.until = now.Add(d.length)
	(*b)[company] = d
	return !known
}

// recordSuccess records that a look succeeded.
func (b backoff) recordSuccess(company ro.CUI) { delete(b, company) }

// exclude returns the companies that do not have to wait. It reuses the slice.
func (b backoff) exclude(companies []ro.CUI, now time.Time) []ro.CUI {
	return slices.DeleteFunc(companies, func(c ro.CUI) bool { return now.Before(b[c].until) })
}
