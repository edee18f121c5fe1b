// Package company joins what the registers know of a company into one profile,
// behind the cache.
package company

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/upstream/anaf"
)

// Lifetimes say how old a profile may become.
type Lifetimes struct {
	// Fresh is how long a profile is as good as new. Default 24 h: the tax
	// authority's register is about days.
	Fresh time.Duration
	// NoPrefetch is true when a profile that is read often is not fetched again
	// before it has ceased to be fresh, in the last tenth of that time.
	NoPrefetch bool
	// Revalidate is how long after that it is served at once while it is fetched
	// again behind the caller's back. Default 24 h.
	Revalidate time.Duration
	// Stale is how long after Fresh it is served when the register cannot be
	// asked. Default 30 days.
	Stale time.Duration
	// Unknown is how long it is remembered that no register knows a number.
	// Default 6 h.
	Unknown time.Duration
}

// DefaultLifetimes are the lifetimes of an installation that configures none.
var DefaultLifetimes = Lifetimes{Fresh: 24 * time.Hour, Revalidate: 24 * time.Hour, Stale: 30 * 24 * time.Hour, Unknown: 6 * time.Hour}

// Kind is the kind of the tax authority's records of today in the cache.
const Kind = "company"

// clientMaxAge is how long a client may keep a profile.
const clientMaxAge = 5 * time.Minute

// taxAuthority is the register's name in sources.
const taxAuthority = "anaf"

// Records loads the tax authority's record of a company on a day; the zero day is today.
type Records = cache.Loader[api.CompanyDay, *anaf.Record]

// ofToday loads records as of today.
func ofToday(load Records) cache.Loader[api.CUI, *anaf.Record] {
	return func(ctx context.Context, cui api.CUI, d cache.Demand) (*anaf.Record, error) {
		return load(ctx, api.CompanyDay{CUI: cui}, d)
	}
}

// Register joins both registers' data about companies.
type Register struct {
	// Looked has the last looks, with which companies that are not in the cache are listed. Default nil: none are
	// known.
	Looked Looked
	// Asked is called with the companies that callers ask for. Default nil: nobody wants to know.
	Asked func(api.CUI)

	records *cache.Facts[api.CUI, *anaf.Record]
	past    pastRecords
	trade   Trade
	sheets  *Sheets
	asking  chan struct{} // limits what all lists ask for at once
	lists   atomic.Int32  // that ask
	later   *later
	fresh   time.Duration // how long an identity is as good as new
}

// NewRegister puts the cache in front of a loader of the tax authority's records, which
// answers api.ErrUnknown for a number that it does not know, and joins the trade register
// and the yearly sheets to it.
func NewRegister(c *cache.Cache, life Lifetimes, fetch Records, trade Trade, sheets *Sheets) *Register {
	kind := cache.Kind{
		Name:                 Kind,
		Fresh:                life.Fresh,
		StaleWhileRevalidate: life.Revalidate,
		StaleIfError:         life.Stale,
		Unknown:              life.Unknown,
		ErrUnknown:           api.ErrUnknown,
		Wait:                 anaf.Deadline,
	}
	if !life.NoPrefetch {
		kind.Ahead = life.Fresh / 10
	}

	r := &Register{
		records: cache.ThroughLoader(c, kind, ofToday(fetch)), past: newPastRecords(c, kind, fetch),
		trade: trade, sheets: sheets, asking: make(chan struct{}, maxAsked), fresh: life.Fresh,
	}
	r.later = newLater(r.warm)
	return r
}

// Close stops fetching in the background.
func (r *Register) Close() { r.later.end() }

// Company returns the profile of one company. When the tax authority cannot be asked and
// nothing is stored, or when it does not know the number, the profile is the trade
// register's alone, if that has the company.
//
// A profile whose statuses are of a day in the past has today's identity. It costs one
// question at most; if that has no answer, the statuses are computed from the periods of a
// newer record, as far as these decide.
func (r *Register) Company(ctx context.Context, asked api.CompanyDay) (api.Answer[*api.Company], error) {
	r.asked(asked.CUI)
	past := r.past.of(asked.Day)
	if past != nil {
		if answer, _, ok, err := r.pastStored(ctx, past, asked); ok {
			return answer, err
		}
	}
	found, err := r.get(ctx, past, asked)
	return r.answer(ctx, past, asked, found, err)
}

func (r *Register) asked(cui api.CUI) {
	if r.Asked != nil {
		r.Asked(cui)
	}
}

// get asks for the record of a company on a day, unless it is stored: among those of the
// past, or as of today.
func (r *Register) get(ctx context.Context, past pastFacts, asked api.CompanyDay) (cache.Found[*anaf.Record], error) {
	if past != nil {
		return past.Get(ctx, asked)
	}
	return r.records.Get(ctx, asked.CUI)
}

// stored answers without asking, if that is possible. What is stale is being refreshed or
// should be.
func (r *Register) stored(ctx context.Context, asked api.CompanyDay) (answer api.Answer[*api.Company], stale, ok bool, err error) {
	if past := r.past.of(asked.Day); past != nil {
		return r.pastStored(ctx, past, asked)
	}
	found, ok, err := r.records.Stored(ctx, asked.CUI)
	if ok {
		answer, err = r.answer(ctx, nil, asked, found, err)
	}
	return answer, found.Stale, ok, err
}

// warm fetches a record in the background: see Warm.
func (r *Register) warm(ctx context.Context, asked api.CompanyDay, done func(error)) {
	if past := r.past.of(asked.Day); past != nil {
		past.Warm(ctx, asked, done)
		return
	}
	r.records.Warm(ctx, asked.CUI, done)
}

// answer makes an answer of what the cache answered.
func (r *Register) answer(ctx context.Context, past pastFacts, asked api.CompanyDay, found cache.Found[*anaf.Record], err error) (api.Answer[*api.Company], error) {
	if err == context.DeadlineExceeded && ctx.Err() == nil { // Wait is over
		err = &api.Failure{Registry: taxAuthority, Kind: api.TimedOut, Err: fmt.Errorf("waiting for company %s: %w", asked, err)}
	}
	switch {
	case past != nil:
		return r.pastAnswer(ctx, asked, found, err)
	case err != nil:
		return r.alone(ctx, asked, found, err)
	}

	tax, known := taxProfileOf(&found), (*profile)(nil)
	if asked.Day == 0 {
		known, err = tax.joined(r, asked.CUI)
	} else {
		known, err = tax.dated(r, asked.CUI, api.FromRegister)
	}
	if err != nil {
		return api.Answer[*api.Company]{}, err
	}
	return serve(known, &found)
}

// serve makes an answer of a profile.
func serve(known *profile, found *cache.Found[*anaf.Record]) (answer api.Answer[*api.Company], err error) {
	answer = api.Answer[*api.Company]{Value: known.company, Document: known.hit, Freshness: api.Freshness{
		Cache: api.Hit, RetrievedAt: found.RetrievedAt, FreshUntil: found.FreshUntil, MaxAge: clientMaxAge,
	}}
	if !found.Hit {
		answer.Cache = api.Miss
	}
	if !found.Hit || found.Stale {
		answer.Value, answer.Document, err = known.as(answer.Cache, found.Stale)
	}

	return answer, err
}

// alone returns the trade register's profile, when the tax authority failed or does not
// know the number.
func (r *Register) alone(ctx context.Context, asked api.CompanyDay, found cache.Found[*anaf.Record], failure error) (api.Answer[*api.Company], error) {
	source := api.Source{Name: taxAuthority, Cache: api.Miss}
	fresh := api.Freshness{Cache: api.Miss}
	if errors.Is(failure, api.ErrUnknown) {
		source = taxSource(found.RetrievedAt)
		fresh.RetrievedAt, fresh.FreshUntil = found.RetrievedAt, found.FreshUntil
		if found.Hit {
			source.Cache, fresh.Cache = api.Hit, api.Hit
		}
	}

	e := r.entry(asked.CUI)
	if e == nil || ctx.Err() != nil {
		return api.Answer[*api.Company]{Freshness: fresh}, failure
	}

	company := e.alone(asked.CUI)
	if asked.Day != 0 {
		company.StatusDate, company.AsOfBasis = &asked.Day, &api.AsOfBases{}
	}
	company.Unlisted = errors.Is(failure, api.ErrUnknown)
	known, err := newProfile(company, source, e)
	if err != nil {
		return api.Answer[*api.Company]{}, err
	}

	company, doc, err := known.as(source.Cache, false)
	return api.Answer[*api.Company]{Value: company, Document: doc, Freshness: fresh}, err
}

// BalanceSheets are the yearly balance sheets of a company: see [Sheets].
func (r *Register) BalanceSheets(ctx context.Context, cui api.CUI, years api.Years) ([]api.BalanceSheet, []int, bool, error) {
	return r.sheets.Of(ctx, cui, years)
}

// Forget takes a company out of the cache, so that the next call asks the tax
// authority. What it said about days in the past stays.
func (r *Register) Forget(ctx context.Context, cui api.CUI) error {
	return r.records.Delete(ctx, cui)
}

// Drop forgets a company that another edge was told to forget: it takes it out of
// the cache of this process alone.
func (r *Register) Drop(cui api.CUI) error { return r.records.Drop(cui) }
