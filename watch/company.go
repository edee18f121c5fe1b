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

	slices.SortStableFunc(all, func(a, b monitoring.WatchedCompany) int {
		return cmp.Compare(a.Concern(),
			b.Concern())
	})
	problems := 0
	for problems < len(all) && all[problems].Concern() == monitoring.HasProblem {
		problems++
	}

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
		VATPayer: c.Statuses.Of(history.VATPayer), Inactive: c.Statuses.Of(history.Inactive),
	}
	if s.Stored != nil {
		describe(&w, s.Stored(c.Company))
	}

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

// describe adds what is stored about a company, if anything. Its statuses are those of the last look, if there was one.
func describe(w *monitoring.WatchedCompany, stored *company.Company) {
	if stored == nil {
		return
	}

	w.Name, w.StateRegistration = &stored.Name, stored.StateRegistration
	w.VATPayer = cmp.Or(w.VATPayer, stored.VATPayer)
	if w.Inactive == nil && stored.Inactive != nil {
		w.Inactive = &stored.Inactive.Status
	}

	if periods := stored.VATPeriods; w.VATPayer != nil && !*w.VATPayer && len(periods) > 0 {
		w.VATEndedOn = periods[len(periods)-1].To
	}
}
