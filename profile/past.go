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

// computePast answers about a past day without a record of that day. It computes the statuses from a newer ordinary
// record: from the record's periods, and from its own statuses if it was retrieved on that day.
func (r *Register) computePast(ctx context.Context, q query, found cache.Found[*anaf.Record],
	failure error) (op.Answer[*company.Company], error) {
	day := q.key.Day
	newest, ok := r.newest(q.key.CUI)
	if !ok || ctx.Err() != nil || retrievedOn(newest.RetrievedAt) < day {
		return r.tradeProfile(ctx, q.company, found, failure)
	}

	tax := taxProfileOf(&newest, 0)
	view, err := newest.Value.View(0, newest.RetrievedAt, siruta.Load().Resolve)
	if err = errors.Join(tax.err, err); err != nil {
		return r.tradeProfile(ctx, q.company, found, failure)
	}

	basis := company.FromPeriods
	if view.Day == day {
		basis = company.FromObservation
	}

	c := statusesOf(view, day).applyTo(tax.company, day, basis)
	c.Record = nil // it belongs to another day

	known, err := newProfile(&c, taxSource(newest.RetrievedAt), r.entry(q.key.CUI))
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
func (s statuses) applyTo(identity *company.Company, day ro.Date, basis company.AsOfBasis) company.Company {
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

	return c
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
