package mirror

import (
	"slices"
	"time"

	"github.com/rodata/rodata/api"
)

const (
	// latest is how much later at most a company is looked at because looks at it fail.
	latest = time.Hour
	// lateMost is how many such companies are remembered.
	lateMost = 100_000
)

// late is the companies whose last looks failed. They are left alone for a minute, then for two, and so on, up to an
// hour, so that a company that always fails does not cost a call with each sweep.
type late map[api.CUI]delay

// delay is how long a company is left alone.
type delay struct {
	until time.Time
	pause time.Duration
}

// add notes that a look failed, and reports whether the one before had not.
func (l *late) add(company api.CUI, now time.Time) (news bool) {
	if *l == nil {
		*l = late{}
	}
	d, known := (*l)[company]
	if !known && len(*l) == lateMost {
		for any := range *l { // is looked at sooner than it might be
			delete(*l, any)
			break
		}
	}
	d.pause = min(max(2*d.pause, time.Minute), latest)
	d.until = now.Add(d.pause)
	(*l)[company] = d
	return !known
}

// forget notes that a look succeeded.
func (l late) forget(company api.CUI) { delete(l, company) }

// without removes the companies that are left alone.
func (l late) without(companies []api.CUI, now time.Time) []api.CUI {
	return slices.DeleteFunc(companies, func(c api.CUI) bool { return now.Before(l[c].until) })
}
