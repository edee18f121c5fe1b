package profile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/siruta"
	"github.com/rodata/rodata/upstream/vatcollection"
)

// Observations reads the observations of companies: see the room history/store.
type Observations interface {
	// Of returns all observations of a company and its confirmations, both from the oldest to the newest.
	Of(ctx context.Context, company ro.CUI) ([]history.Observation, []history.Confirmation, error)
}

// Collections is the whole register of VAT on collection: see [vatcollection.Register].
type Collections interface {
	// Periods returns the periods of a company, the newest first.
	Periods(company ro.CUI) []vatcollection.Period
	// Day is the day of the loaded register, and Retrieved its download time. They are zero if none is loaded.
	Day() ro.Date
	Retrieved() time.Time
}

// History answers bitemporal questions about companies: see [company.History].
type History struct {
	register    *Register
	observed    Observations
	collections Collections
}

// NewHistory combines the register's current answers, the observations, and the register of VAT on collection.
func NewHistory(r *Register, observed Observations, collections Collections) *History {
	return &History{register: r, observed: observed, collections: collections}
}

// views returns the views of a company in chronological order. A confirmation repeats the previous view at the end of
// its day, because its time is unknown.
func (h *History) views(ctx context.Context, cui ro.CUI) ([]history.View, error) {
	observations, confirmations, err := h.observed.Of(ctx, cui)
	if err != nil {
		return nil, fmt.Errorf("%w: company %s: %w", company.ErrHistoryDown, cui, err)
	}

	c := chronology{last: make(map[ro.Date]int)}
	// by fingerprint: the records of different days mostly have the same content
	parsed := make(map[[16]byte]*history.View)
	for _, o := range observations {
		for len(confirmations) > 0 && endOf(confirmations[0].On).Before(o.At) {
			c.repeat(confirmations[0])
			confirmations = confirmations[1:]
		}

		same := parsed[o.Fingerprint]
		if same == nil {
			if same, err = ViewOf(&o); err != nil {
				return nil, fmt.Errorf("reading an observation of company %s: %w", cui, err)
			}
			parsed[o.Fingerprint] = same
		}

		v := *same
		v.Day, v.At, v.Record = o.Day, o.At, anaf.PackedRecord(o.Record)
		c.add(chainOf(o.Day, o.Ordinary()), v)
	}

	for _, confirmed := range confirmations {
		c.repeat(confirmed)
	}

	return c.views, nil
}

// chronology holds the views of a company in chronological order.
type chronology struct {
	views []history.View
	last  map[ro.Date]int // the last view of a chain
}

func (c *chronology) add(chain ro.Date, v history.View) {
	c.last[chain] = len(c.views)
	c.views = append(c.views, v)
}

// repeat appends the last view of a confirmation's chain once more.
func (c *chronology) repeat(confirmed history.Confirmation) {
	chain := chainOf(confirmed.Day, confirmed.Day == confirmed.On)
	i, ok := c.last[chain]
	if !ok {
		return
	}

	v := c.views[i]
	v.Day, v.At = confirmed.Day, endOf(confirmed.On)
	if now := time.Now(); now.Before(v.At) {
		v.At = now
	}

	c.add(chain, v)
}

// chainOf identifies the chain of an observation. An observation is compared with others of its chain: the ordinary
// ones, or the ones for the same past day.
func chainOf(day ro.Date, ordinary bool) ro.Date {
	if ordinary {
		return 0
	}
	return day
}

// endOf returns the last millisecond of a day in Bucharest.
func endOf(day ro.Date) time.Time {
	year, month, date := day.UTC().Date()
	return time.Date(year, month, date+1, 0, 0, 0, 0, ro.Bucharest).Add(-time.Millisecond)
}

// ViewOf parses an observation.
func ViewOf(o *history.Observation) (*history.View, error) {
	return anaf.PackedRecord(o.Record).View(o.Day, o.At, siruta.Load().Resolve)
}

// newest returns the newest view. It comes from the record behind a new profile, or else from the stored record of
// today, because a profile may be computed.
func (h *History) newest(profile *company.Company, at time.Time, day ro.Date) (*history.View, error) {
	record, _ := profile.Record.(*anaf.Record)
	if found, ok := h.register.newest(profile.TaxID); ok && (record == nil || found.RetrievedAt.After(at)) {
		record, at, day = found.Value, found.RetrievedAt, 0
	}
	if record == nil {
		return nil, &op.Failure{Registry: taxAuthority, Kind: op.Closed, Err: errNoRecord}
	}

	v, err := record.View(day, at, siruta.Load().Resolve)
	if err != nil {
		return nil, &op.Failure{Registry: taxAuthority, Kind: op.Broken, Err: err}
	}

	return v, nil
}

// collection returns the timeline of VAT on collection from the complete register, if the register is recent enough for
// a day.
func (h *History) collection(cui ro.CUI, day ro.Date) (entries []history.Entry, ok bool) {
	if h.collections == nil || h.collections.Day() < day || h.collections.Day() == 0 {
		return nil, false
	}

	for _, p := range slices.Backward(h.collections.Periods(cui)) {
		e := history.Entry{From: p.From, To: p.To, FromRecorded: p.Recorded, Replaced: p.Replaced}
		if p.To != 0 {
			e.ToRecorded = p.Recorded
		}

		entries = append(entries, e)
	}

	return entries, true
}

var errNoRecord = errors.New("the tax authority's record is not known")
