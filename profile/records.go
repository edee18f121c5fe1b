package profile

import (
	"context"
	"time"

	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/anaf"
)

const (
	// settledAfter is the number of days after which the tax authority's answer about a day is kept permanently.
	// Cancellations are entered weeks after their effective day: 27 days in a record of 2020.
	settledAfter = 60
	forGood      = 100 * 365 * 24 * time.Hour
)

type pastFacts = *cache.Facts[ro.CompanyDay, *anaf.Record]

// records provides the tax authority's records of companies, as of today and of past days, behind the cache.
type records struct {
	today           *cache.Facts[ro.CUI, *anaf.Record]
	settled, recent pastFacts
}

// newRecords derives the kinds for past days from the kind of today's records. Recent days have the same lifetime as
// today.
func newRecords(c *cache.Cache, kind cache.Kind, load Records) records {
	settled, recent := kind, kind
	settled.Name, recent.Name = kind.Name+"-settled", kind.Name+"-recent"
	settled.Fresh, settled.Ahead, recent.Ahead = forGood, 0, 0
	loadToday := func(ctx context.Context, cui ro.CUI, d cache.Demand) (*anaf.Record, error) {
		return load(ctx, ro.CompanyDay{CUI: cui}, d)
	}
	return records{
		today:   cache.Through(c, kind, loadToday),
		settled: cache.Through(c, settled, load), recent: cache.Through(c, recent, load),
	}
}

// pastOf returns the records of a past day. It returns nil if the day is not past. Whether the day is past, and whether
// it is settled, depends on the clock, so a look-up must call it only once.
func (r *records) pastOf(day ro.Date) pastFacts {
	if day == 0 {
		return nil
	}

	switch today := ro.Today(); {
	case day >= today:
		return nil
	case day <= today-settledAfter:
		return r.settled
	}

	return r.recent
}

// get requests the record of a company on a day, unless it is stored: among past records, or as of today.
func (r *records) get(ctx context.Context, past pastFacts, asked ro.CompanyDay) (cache.Found[*anaf.Record], error) {
	if past != nil {
		return past.Get(ctx, asked)
	}
	return r.today.Get(ctx, asked.CUI)
}

// warm queries the tax authority about a company in the background, with lower priority than callers, unless a fresh
// record is stored. It calls done once, with the error or nil. An unknown number is not an error.
func (r *records) warm(ctx context.Context, asked ro.CompanyDay, done func(error)) {
	if past := r.pastOf(asked.Day); past != nil {
		past.Warm(ctx, asked, done)
		return
	}

	r.today.Warm(ctx, asked.CUI, done)
}

// Forget removes a company from the cache, so that the next call queries the tax authority. Records of past days stay.
func (r *records) Forget(ctx context.Context, cui ro.CUI) error { return r.today.Delete(ctx, cui) }

// Drop handles another edge's Forget: it removes a company from the cache of this process only.
func (r *records) Drop(cui ro.CUI) error { return r.today.Drop(cui) }
