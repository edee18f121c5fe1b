package profile

import (
	"context"
	"errors"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/siruta"
)

// retrievedOn returns the day in Bucharest of a retrieval.
func retrievedOn(at time.Time) ro.Date { return ro.DateIn(at, ro.Bucharest) }

// storedPast answers about a past day from stored records: the record of that day, or the ordinary record if it was
// retrieved on that day and is still fresh.
func (r *Register) storedPast(ctx context.Context, past pastFacts,
	asked ro.CompanyDay) (answer op.Answer[*company.Company], stale, ok bool, err error) {
	found, ok, err := past.Stored(ctx, asked)
	if ok {
		answer, err = r.pastAnswer(ctx, asked, found, err)
		return answer, found.Stale, true, err
	}

	newest, ok := r.today.Peek(asked.CUI)
	if !ok || newest.Stale || retrievedOn(newest.RetrievedAt) != asked.Day {
		return answer, false, false, nil
	}

	known, err := taxProfileOf(&newest).join(r, asked.CUI, company.FromObservation)
	if err != nil {
		return answer, false, false, nil // the registry has a better answer
	}

	answer, err = serve(known, &newest)
	return answer, false, true, err
}

// pastAnswer converts the cache's answer to an answer about a past day.
func (r *Register) pastAnswer(ctx context.Context, asked ro.CompanyDay, found cache.Found[*anaf.Record],
	err error) (op.Answer[*company.Company], error) {
	if err != nil {
		return r.computePast(ctx, asked, found, err)
	}

	known, err := pastProfileOf(&found, asked.Day).join(r, asked.CUI)
	if err != nil {
		return op.Answer[*company.Company]{}, err
	}
	if time.Since(known.identityAt) > r.fresh { // the statuses are kept permanently, the identity is not
		r.background.add(ctx, []ro.CompanyDay{{CUI: asked.CUI}})
	}

	return serve(known, &found)
}

// computePast answers about a past day without a record of that day. It computes the statuses from a newer ordinary
// record: from the record's periods, and from its own statuses if it was retrieved on that day.
func (r *Register) computePast(ctx context.Context, asked ro.CompanyDay, found cache.Found[*anaf.Record],
	failure error) (op.Answer[*company.Company], error) {
	newest, ok := r.today.Peek(asked.CUI)
	if !ok || ctx.Err() != nil || retrievedOn(newest.RetrievedAt) < asked.Day {
		return r.tradeProfile(ctx, asked, found, failure)
	}

	tax := taxProfileOf(&newest)
	view, err := newest.Value.View(0, newest.RetrievedAt, siruta.Load().Resolve)
	if err = errors.Join(tax.err, err); err != nil {
		return r.tradeProfile(ctx, asked, found, failure)
	}

	basis := company.FromPeriods
	if view.Day == asked.Day {
		basis = company.FromObservation
	}

	c, e := statusesOf(view, asked.Day).applyTo(tax.company, asked.Day, basis), r.entry(asked.CUI)
	if e != nil {
		e.join(c)
	}

	c.Record = nil // it belongs to another day

	known, err := newProfile(c, taxSource(newest.RetrievedAt), e)
	if err != nil {
		return op.Answer[*company.Company]{}, err
	}

	answer, err := serve(known, &newest)
	answer.MaxAge = 0 // the tax authority may soon answer again
	return answer, err
}

// statuses are a company's statuses on a day; nil if unknown.
type statuses [history.StatusCount]*bool

// statusesOf returns the statuses on a day in a view of a company's history.
func statusesOf(view *history.View, day ro.Date) (s statuses) {
	for i := range s {
		s[i], _ = view.StatusOn(history.Status(i), day)
	}
	return s
}

// applyTo returns a copy of a profile with these statuses instead of its own.
func (s statuses) applyTo(identity *company.Company, day ro.Date, basis company.AsOfBasis) *company.Company {
	c := *identity
	if c.RegistrationDate != nil {
		for i := range s {
			s[i] = history.SinceRegistration(s[i], day, *c.RegistrationDate)
		}
	}

	c.StatusDate, c.AsOfBasis = &day, s.basis(basis)
	c.VATPayer, c.VATOnCollection, c.VATSplit = s[history.VATPayer], s[history.VATOnCollection], s[history.VATSplit]
	if c.VATSince = nil; c.VATPayer != nil && *c.VATPayer {
		c.VATSince = anaf.RegisteredSince(c.VATPeriods, day)
	}

	c.Inactive, c.EInvoice = nil, nil
	if status := s[history.Inactive]; status != nil {
		c.Inactive = &company.Inactive{}
		if identity.Inactive != nil {
			*c.Inactive = *identity.Inactive
		}

		c.Inactive.Status = *status
	}

	if registered := s[history.EInvoice]; registered != nil {
		c.EInvoice = &company.EInvoice{}
		if identity.EInvoice != nil {
			*c.EInvoice = *identity.EInvoice
		}

		c.EInvoice.Registered = *registered
	}

	return &c
}

// basis returns the basis of each status that has a value.
func (s statuses) basis(b company.AsOfBasis) *company.AsOfBases {
	bases := new(company.AsOfBases)
	for i, basis := range bases.All() {
		if s[i] != nil {
			*basis = &b
		}
	}

	return bases
}
