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

// facts is the cache of records of companies. A key without a day is for today.
type facts = *cache.Facts[ro.CompanyDay, *anaf.Record]

// records provides the tax authority's records of companies, as of today and of past days, behind the cache.
type records struct{ today, recent, settled facts }

// newRecords derives the kinds for past days from the kind of today's records. Recent days have the same lifetime as
// today.
func newRecords(c *cache.Cache, kind cache.Kind, load Records) records {
	recent, settled := kind, kind
	recent.Name, settled.Name = kind.Name+"-recent", kind.Name+"-settled"
	recent.Ahead, settled.Ahead, settled.Fresh = 0, 0, forGood
	return records{
		today: cache.Through(c, kind, load), recent: cache.Through(c, recent, load),
		settled: cache.Through(c, settled, load),
	}
}

// query is a request for the record of a company on a day.
type query struct {
	facts
	company ro.CompanyDay // as requested
	key     ro.CompanyDay // of the record; without a day unless the day is past
}

// query returns the query for a record. Whether a day is past, and whether it is settled, depends on the clock, so a
// look-up must call it only once.
func (r *records) query(asked ro.CompanyDay) query {
	q, today := query{facts: r.recent, company: asked, key: asked}, ro.Today()
	switch {
	case asked.Day == 0, asked.Day >= today:
		q.facts, q.key.Day = r.today, 0
	case asked.Day <= today-settledAfter:
		q.facts = r.settled
	}

	return q
}

// isPast reports whether the day is past.
func (q *query) isPast() bool { return q.key.Day != 0 }

func (q *query) get(ctx context.Context) (cache.Found[*anaf.Record], error) { return q.Get(ctx, q.key) }

func (q *query) stored(ctx context.Context) (cache.Found[*anaf.Record], bool, error) {
	return q.Stored(ctx, q.key)
}

// newest returns the stored record of today, however old.
func (r *records) newest(cui ro.CUI) (cache.Found[*anaf.Record], bool) {
	return r.today.Peek(ro.CompanyDay{CUI: cui})
}

// warm queries the tax authority about a company in the background, with lower priority than callers, unless a fresh
// record is stored. It calls done once, with the error or nil. An unknown number is not an error.
func (r *records) warm(ctx context.Context, asked ro.CompanyDay, done func(error)) {
	q := r.query(asked)
	q.Warm(ctx, q.key, done)
}

// Forget removes a company from the cache, so that the next call queries the tax authority. Records of past days stay.
func (r *records) Forget(ctx context.Context, cui ro.CUI) error {
	return r.today.Delete(ctx, ro.CompanyDay{CUI: cui})
}

// Drop handles another edge's Forget: it removes a company from the cache of this process only.
func (r *records) Drop(cui ro.CUI) error { return r.today.Drop(ro.CompanyDay{CUI: cui}) }
