// Package profile combines the registers' records of a company into one profile. The cache serves most of them.
package profile

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/anaf/ration"
)

// Lifetimes determine the maximum age of a profile.
type Lifetimes struct {
	// Fresh is the time for which a profile is fresh. Default 24 h: the tax authority's data is by day.
	Fresh time.Duration
	// NoPrefetch disables refreshing a frequently read profile in the last tenth of its freshness.
	NoPrefetch bool
	// Revalidate is the time after Fresh in which a profile is served immediately while it is refreshed in the
	// background. Default 24 h.
	Revalidate time.Duration
	// Stale is the time after Fresh in which a profile is served if the register cannot be queried. Default 30 days.
	Stale time.Duration
	// Unknown is the time for which a number unknown to every register is remembered. Default 6 h.
	Unknown time.Duration
}

// DefaultLifetimes are the lifetimes if none are configured.
var DefaultLifetimes = Lifetimes{Fresh: 24 * time.Hour, Revalidate: 24 * time.Hour, Stale: 30 * 24 * time.Hour,
	Unknown: 6 * time.Hour}

// Kind is the cache kind of the tax authority's records as of today.
const Kind = "company"

// clientMaxAge is the time for which a client may cache a profile.
const clientMaxAge = 5 * time.Minute

// taxAuthority is the register's name in sources.
const taxAuthority = "anaf"

// Records loads the tax authority's record of a company on a day; the zero day is today.
type Records = cache.Loader[ro.CompanyDay, *anaf.Record]

// Register joins both registers' data about companies.
type Register struct {
	// LastLooks returns what the last looks found at listed companies that are not in the cache. It omits companies
	// that were never looked at. Default nil: there are none.
	LastLooks func(ctx context.Context, companies []ro.CUI) ([]history.Finding, error)
	// Ready reports whether a search may fetch missing companies in the background. Default nil: always.
	Ready func() bool
	// OnRequest is called with the companies that callers request. Default nil.
	OnRequest func(ro.CUI)

	records
	trade      Trade
	sheets     *Sheets
	requests   chan struct{} // limits the concurrent requests of all lists
	lists      atomic.Int32  // lists with running requests
	background *backgroundFetcher
	fresh      time.Duration // the time for which an identity is fresh
}

// NewRegister joins the tax authority, the trade register and the yearly sheets. It puts the cache in front of fetch,
// which loads the tax authority's records and returns op.ErrUnknown for an unknown number.
func NewRegister(c *cache.Cache, life Lifetimes, fetch Records, trade Trade, sheets *Sheets) *Register {
	kind := cache.Kind{
		Name:                 Kind,
		Fresh:                life.Fresh,
		StaleWhileRevalidate: life.Revalidate,
		StaleIfError:         life.Stale,
		Unknown:              life.Unknown,
		ErrUnknown:           op.ErrUnknown,
		Wait:                 ration.Deadline,
	}
	if !life.NoPrefetch {
		kind.Ahead = life.Fresh / 10
	}

	r := &Register{
		records: newRecords(c, kind, fetch), trade: trade, sheets: sheets,
		requests: make(chan struct{}, maxRequested), fresh: life.Fresh,
	}
	r.background = newBackgroundFetcher(r.warm)
	return r
}

// Close stops background fetches.
func (r *Register) Close() { r.background.end() }

// Company returns the profile of one company. If the tax authority does not know the number, or cannot be queried and
// nothing is stored, the profile comes from the trade register alone, if that has the company.
//
// A profile with the statuses of a past day has today's identity. It costs at most one request. If the request fails,
// the statuses are computed from the periods of a newer record, as far as possible.
func (r *Register) Company(ctx context.Context, asked ro.CompanyDay) (op.Answer[*company.Company], error) {
	r.notifyRequest(asked.CUI)
	q := r.query(asked)
	if q.isPast() {
		if answer, _, ok, err := r.storedAnswer(ctx, q); ok {
			return answer, err
		}
	}

	found, err := q.get(ctx)
	return r.answer(ctx, q, found, err)
}

func (r *Register) notifyRequest(cui ro.CUI) {
	if r.OnRequest != nil {
		r.OnRequest(cui)
	}
}

// storedAnswer answers without a request, if possible. Stale data is being refreshed or should be. For a past day, the
// ordinary record counts as well if it was retrieved on that day and is still fresh.
func (r *Register) storedAnswer(ctx context.Context,
	q query) (answer op.Answer[*company.Company], stale, ok bool, err error) {
	found, ok, err := q.stored(ctx)
	if ok {
		answer, err = r.answer(ctx, q, found, err)
	}
	if ok || !q.isPast() {
		return answer, found.Stale, ok, err
	}

	newest, ok := r.newest(q.key.CUI)
	if !ok || newest.Stale || retrievedOn(newest.RetrievedAt) != q.key.Day {
		return answer, false, false, nil
	}

	known, err := taxProfileOf(&newest, 0).join(r, q.key.CUI, company.FromObservation)
	if err != nil {
		return answer, false, false, nil // the registry has a better answer
	}

	answer, err = serve(known, &newest)
	return answer, false, true, err
}

// answer converts the cache's answer to an answer of the register.
func (r *Register) answer(ctx context.Context, q query, found cache.Found[*anaf.Record],
	err error) (op.Answer[*company.Company], error) {
	if err == context.DeadlineExceeded && ctx.Err() == nil { // Wait is over
		err = &op.Failure{Registry: taxAuthority, Kind: op.TimedOut,
			Err: fmt.Errorf("waiting for company %s: %w", q.company, err)}
	}

	switch {
	case err != nil && q.isPast():
		return r.computePast(ctx, q, found, err)
	case err != nil:
		return r.tradeProfile(ctx, q.company, found, err)
	}

	var basis company.AsOfBasis
	if q.company.Day != 0 {
		basis = company.FromRegister
	}

	known, err := taxProfileOf(&found, q.key.Day).join(r, q.key.CUI, basis)
	if err != nil {
		return op.Answer[*company.Company]{}, err
	}
	if q.isPast() && time.Since(known.identity.retrievedAt) > r.fresh { // the statuses are kept permanently
		r.background.add(ctx, []ro.CompanyDay{{CUI: q.key.CUI}})
	}

	return serve(known, &found)
}

// serve converts a profile to an answer.
func serve(known *profile, found *cache.Found[*anaf.Record]) (answer op.Answer[*company.Company], err error) {
	answer = op.Answer[*company.Company]{Value: known.company, Document: known.hit, Freshness: op.Freshness{
		Cache: op.Hit, RetrievedAt: found.RetrievedAt, FreshUntil: found.FreshUntil, MaxAge: clientMaxAge,
	}}
	if !found.Hit {
		answer.Cache = op.Miss
	}
	if !found.Hit || found.Stale {
		answer.Value, answer.Document, err = known.answerWith(answer.Cache, found.Stale)
	}

	return answer, err
}

// tradeProfile returns the trade register's profile, if the tax authority failed or does not know the number.
func (r *Register) tradeProfile(ctx context.Context, asked ro.CompanyDay, found cache.Found[*anaf.Record],
	failure error) (op.Answer[*company.Company], error) {
	source := company.Source{Name: taxAuthority, Cache: op.Miss}
	fresh := op.Freshness{Cache: op.Miss}
	if errors.Is(failure, op.ErrUnknown) {
		source = taxSource(found.RetrievedAt)
		fresh.RetrievedAt, fresh.FreshUntil = found.RetrievedAt, found.FreshUntil
		if found.Hit {
			source.Cache, fresh.Cache = op.Hit, op.Hit
		}
	}

	e := r.entry(asked.CUI)
	if e == nil || ctx.Err() != nil {
		return op.Answer[*company.Company]{Freshness: fresh}, failure
	}

	c := e.bare(asked.CUI)
	if asked.Day != 0 {
		c.StatusDate, c.AsOfBasis = &asked.Day, &company.AsOfBases{}
	}

	c.Unlisted, c.Release = errors.Is(failure, op.ErrUnknown), r.trade.DataThrough()
	known, err := newProfile(c, source, e)
	if err != nil {
		return op.Answer[*company.Company]{}, err
	}

	c, doc, err := known.answerWith(source.Cache, false)
	return op.Answer[*company.Company]{Value: c, Document: doc, Freshness: fresh}, err
}

// BalanceSheets returns the yearly balance sheets of a company: see [Sheets].
func (r *Register) BalanceSheets(ctx context.Context, cui ro.CUI,
	years company.Years) ([]company.BalanceSheet, []int, bool, error) {
	return r.sheets.Of(ctx, cui, years)
}

// Filings returns what is known about a company's statement for a year.
func (r *Register) Filings(_ context.Context, cui ro.CUI, year int) (*company.Filings, error) {
	if _, _, err := r.trade.ByTaxID(cui); err != nil {
		return nil, err
	}
	return r.sheets.filings(anaf.Filing{CUI: cui, Year: year}), nil
}

// PeerFigures returns the figures of all companies with an activity: see [statements.Store.Peers].
func (r *Register) PeerFigures(ctx context.Context, year int, code string) (*company.PeerFigures, error) {
	store := r.sheets.store()
	if store == nil {
		return new(company.PeerFigures), nil
	}
	return store.Peers(ctx, year, code)
}
