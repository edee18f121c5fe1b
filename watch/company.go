package watch

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/ro"
)

// Company is a stored watched company.
type Company struct {
	Company   ro.CUI
	Reference string
	AddedAt   time.Time
	// EventAt is the time of its last change, and LookedAt the time of the last look; zero for never.
	EventAt, LookedAt time.Time
	// Missing reports that the last look did not find the company.
	Missing bool
	// Statuses are the last known statuses.
	Statuses history.Statuses
	// Paid is the last month for which the account has paid for it.
	Paid Month
}

// Watched implements monitoring.Watchlists.
func (s *Lists) Watched(ctx context.Context, account string, id monitoring.WatchlistID, limit, offset int,
	problemsFirst bool) (page monitoring.WatchedPage, err error) {
	l, err := s.Store.List(ctx, account, id)
	if err != nil {
		return page, err
	}

	page.TotalCount = l.Companies
	if !problemsFirst {
		page.Items, err = s.watchedCompanies(ctx, &l, limit, offset)
		return page, err
	}

	if l.Companies > monitoring.MostSorted {
		return page, monitoring.TooManySorted(l.Companies)
	}

	all, err := s.watchedCompanies(ctx, &l, monitoring.MostSorted, 0)
	if err != nil {
		return page, err
	}

	sorted, today := make([][]monitoring.WatchedCompany, monitoring.HasNone+1), ro.Today()
	for i := range all {
		concern := all[i].Concern(today)
		sorted[concern] = append(sorted[concern], all[i])
	}

	problems, all := len(sorted[monitoring.HasProblem]), slices.Concat(sorted...)
	start := min(offset, len(all))
	page.Items, page.ProblemCount = all[start:min(start+limit, len(all))], &problems
	return page, nil
}

// watchedCompanies returns companies of a watch-list, sorted by tax id.
func (s *Lists) watchedCompanies(ctx context.Context, l *List, limit, offset int) ([]monitoring.WatchedCompany, error) {
	companies, err := s.Store.Watched(ctx, l, limit, offset)
	items := make([]monitoring.WatchedCompany, len(companies))
	for i := range companies {
		items[i] = s.watchedCompany(l, &companies[i])
	}

	return items, err
}

// watchedCompany returns a watched company in the form of the API.
func (s *Lists) watchedCompany(l *List, c *Company) monitoring.WatchedCompany {
	w := monitoring.WatchedCompany{
		TaxID: c.Company, Reference: history.OrNone(c.Reference), State: monitoring.WatchedNew, AddedAt: c.AddedAt,
		Paid: !l.isUnpaid() || c.Paid >= MonthOf(time.Now()), LastEventAt: history.OrNone(c.EventAt),
		LastCheckedAt: history.OrNone(c.LookedAt), StateRegistration: company.UnknownState,
	}
	var stored *company.Company
	if s.Stored != nil {
		stored = s.Stored(c.Company)
	}

	describe(&w, stored, c)
	next := c.AddedAt
	if !c.LookedAt.IsZero() {
		next = c.LookedAt.Add(l.Every.Interval() - s.Sooner)
		w.State = monitoring.WatchedFound
		if c.Missing {
			w.State = monitoring.WatchedNotFound
		}
	}

	if w.Paid {
		w.NextCheckAt = &next
	}

	return w
}

// describe adds what is known about a company, if anything: what is stored, with the statuses of the last look.
func describe(w *monitoring.WatchedCompany, stored *company.Company, c *Company) {
	switch {
	case stored != nil:
		w.Name, w.StateRegistration = &stored.Name, stored.StateRegistration
		w.Profile = new(*stored)
	case c.LookedAt.IsZero():
		return
	default:
		w.Profile = &company.Company{TaxID: c.Company, StateRegistration: company.UnknownState}
	}

	addLook(w.Profile, c)
	w.VATPayer = w.Profile.VATPayer
	if w.Profile.Inactive != nil {
		w.Inactive = &w.Profile.Inactive.Status
	}
	if periods := w.Profile.VATPeriods; w.VATPayer != nil && !*w.VATPayer && len(periods) > 0 {
		w.VATEndedOn = periods[len(periods)-1].To
	}
}

// addLook adds the statuses of the last look, if there was one, to a profile, and the tax authority as their source.
func addLook(profile *company.Company, c *Company) {
	name := taxAuthority(c.LookedAt).Name
	isStored := slices.ContainsFunc(profile.Sources, func(s company.Source) bool { return s.Name == name })
	if !c.LookedAt.IsZero() && !isStored {
		profile.Sources = append(slices.Clip(profile.Sources), company.Source{Name: name, RetrievedAt: &c.LookedAt})
	}

	profile.VATPayer = cmp.Or(c.Statuses.Of(history.VATPayer), profile.VATPayer)
	profile.VATOnCollection = cmp.Or(c.Statuses.Of(history.VATOnCollection), profile.VATOnCollection)
	if is := c.Statuses.Of(history.Inactive); is != nil && (profile.Inactive == nil || profile.Inactive.Status != *is) {
		profile.Inactive = &company.Inactive{Status: *is}
	}
	if is := c.Statuses.Of(history.EInvoice); is != nil && profile.EInvoice == nil {
		profile.EInvoice = &company.EInvoice{Registered: *is}
	}
}
