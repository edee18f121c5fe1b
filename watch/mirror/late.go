package mirror

import (
	"slices"
	"time"

	"github.com/rodata/rodata/api"
)

const (
	// latest is the longest time until the next look at a company that keeps failing.
	latest = time.Hour
	// lateMost is the maximum number of failing companies that are remembered.
	lateMost = 100_000
)

// late holds the companies whose last looks failed. The next look waits for a minute, then two, doubling up to an hour,
// so that a company that always fails does not cost a call in each sweep.
type late map[api.CUI]delay

// delay returns the time until the next look at a company.
type delay struct {
	until time.Time
	pause time.Duration
}

// add records that a look failed, and reports whether the previous one had succeeded.
func (l *late) add(company api.CUI, now time.Time) (news bool) {
	if *l == nil {
		*l = late{}
	}

	d, known := (*l)[company]
	if !known && len(*l) == lateMost {
		for other := range *l { // a dropped company is looked at sooner
			delete(*l, other)
			break
		}
	}

	d.pause = min(max(2*d.pause, time.Minute), latest)
	d.until = now.Add(d.pause)
	(*l)[company] = d
	return !known
}

// forget records that a look succeeded.
func (l late) forget(company api.CUI) { delete(l, company) }

// without returns the companies that do not have to wait.
func (l late) without(companies []api.CUI, now time.Time) []api.CUI {
	return slices.DeleteFunc(companies, func(c api.CUI) bool { return now.Before(l[c].until) })
}
