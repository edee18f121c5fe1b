package profile

import (
	"cmp"
	"context"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/internal/tradenumber"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
	"github.com/rodata/rodata/upstream/siruta"
)

// Search returns a page of the trade register's companies, with the stored data of the tax authority. Missing data is
// fetched in the background for the next time.
func (r *Register) Search(ctx context.Context, q company.Query) (company.Matches, error) {
	page, through, err := r.trade.Search(ctx, search.Query{
		Text: q.Text, Place: siruta.Load().Place, County: q.County, City: q.City,
		Class: q.Class, Industry: q.Industry, States: q.States,
		SeatExpired: q.SeatExpired,
		Statuses: history.PackStatuses([history.StatusCount]*bool{
			history.VATPayer: values[q.VATPayer],
			history.Inactive: values[q.Inactive],
			history.EInvoice: values[q.EInvoice],
		}),
		FigureFilter: q.FigureFilter, WithFigures: q.WithFigures,
		Sort: q.Sort, Direction: q.Direction, Limit: int(q.Limit), Offset: int(q.Offset),
	})
	if err != nil {
		return company.Matches{}, err
	}

	matches := company.Matches{Total: page.Total, Through: through,
		Items: make([]company.Summary, len(page.Firms))}
	filtered := q.VATPayer != "" || q.Inactive != "" || q.EInvoice != ""
	if filtered {
		matches.NotObserved = &page.Unknown
	}
	if page.Year != 0 {
		matches.StatementsYear = &page.Year
	}

	s := summaries{register: r, always: filtered, missing: make(map[ro.CUI][]*company.Summary)}
	s.stored = q.Stored || r.Ready != nil && !r.Ready()
	for i := range page.Firms {
		matches.Items[i] = summaryOf(&page.Firms[i])
		matches.Items[i].Secondary = !q.Stored && page.Firms[i].State.IsProblem() && r.hasBetterEntry(&page.Firms[i])
		if page.Figures != nil {
			matches.Items[i].SetFigures(&page.Figures[i])
		}
		s.complete(&matches.Items[i], page.LookedUp == nil || page.LookedUp[i])
	}

	s.consult(ctx)
	return matches, nil
}

// hasBetterEntry reports whether the trade register has a better entry with a company's number, as after a move to
// another county.
func (r *Register) hasBetterEntry(f *search.Firm) bool {
	if f.TaxID == 0 {
		return false
	}

	best := r.entry(f.TaxID)
	return best != nil && best.firm.Number != f.Number
}

var values = map[ro.YesNo]*bool{ro.Yes: new(true), ro.No: new(false)}

// TaxID returns the tax id of the company with a register number. It returns [op.ErrUnknown] for an unknown number and
// for a company without a tax id.
func (r *Register) TaxID(_ context.Context, number tradenumber.Number) (ro.CUI, error) {
	firms, _, err := r.trade.ByNumber(number)
	if err != nil {
		return 0, err
	}

	for i := range firms {
		if firms[i].TaxID != 0 {
			return firms[i].TaxID, nil
		}
	}

	return 0, op.ErrUnknown
}

// summaryOf returns the trade register's data about a company.
func summaryOf(f *search.Firm) company.Summary {
	s := company.Summary{
		Name: f.Name, StateRegistration: f.State,
		CompanyType: orText(nil, f.Form), TradeNumber: orText(nil, f.Number), MainNACECode: orText(nil, f.Main),
		County: countyName(f.County), City: orText(nil, f.City), Address: orText(nil, f.Address),
		Website: orText(nil, f.Website),
	}
	if f.Registered != 0 {
		s.RegistrationDate = &f.Registered
	}
	if s.StateRegistration == "" {
		s.StateRegistration = company.UnknownState
	}
	if f.TaxID != 0 {
		s.TaxID = &f.TaxID
	}

	return s
}

// summaries completes the companies of a page with the tax authority's data.
type summaries struct {
	register *Register
	always   bool // the last looks selected the companies of the page, so they also provide the displayed values
	stored   bool // nothing is fetched
	missing  map[ro.CUI][]*company.Summary
	looked   []ro.CUI // missing companies that were looked at
}

// complete adds the cached data of a company, or records that it is missing. The looks are in a database, which is slow
// compared with the search, so it is not queried for companies that were never looked at. The search learns of a new
// look within seconds.
func (s *summaries) complete(c *company.Summary, looked bool) {
	if c.TaxID == nil {
		return
	}

	found, stored := s.register.newest(*c.TaxID)
	if !stored || s.always {
		s.missing[*c.TaxID] = append(s.missing[*c.TaxID], c)
		if looked && len(s.missing[*c.TaxID]) == 1 {
			s.looked = append(s.looked, *c.TaxID)
		}
	}

	if !stored {
		return
	}

	tax := taxProfileOf(&found, 0)
	if tax.err != nil {
		return
	}

	c.VATPayer, c.Phone = tax.company.VATPayer, tax.company.Phone
	c.MainNACECode = cmp.Or(tax.company.MainNACECode, c.MainNACECode)
	if tax.company.Inactive != nil {
		c.Inactive = &tax.company.Inactive.Status
	}
}

// consult adds the data of the last looks for the missing companies. Companies that were never looked at are fetched in
// the background for the next search.
func (s *summaries) consult(ctx context.Context) {
	looks := make(map[ro.CUI]*history.Finding, len(s.looked))
	if looked := s.register.LastLooks; looked != nil && len(s.looked) > 0 {
		found, _ := looked(ctx, s.looked) // after an error, the companies are fetched instead
		for i := range found {
			if found[i].Statuses != 0 { // otherwise the tax authority does not know the company
				looks[found[i].Company] = &found[i]
			}
		}
	}

	for cui, rows := range s.missing {
		last, ok := looks[cui]
		if !ok && !s.stored {
			s.register.today.Prefetch(ctx, ro.CompanyDay{CUI: cui})
		}
		if !ok {
			continue
		}

		for _, c := range rows {
			c.VATPayer, c.Phone = last.Statuses.Of(history.VATPayer), orText(nil, last.Phone)
			c.MainNACECode = cmp.Or(last.MainNACECode(), c.MainNACECode)
			c.Inactive = last.Statuses.Of(history.Inactive)
		}
	}
}

// Stored returns what is known about a company without querying the tax authority: its stored record, however old, and
// the trade register's entry, with its part about proceedings and its sources. It returns nil if neither has the
// company. A closure counts even if only one of the registers reports it.
func (r *Register) Stored(cui ro.CUI) *company.Company {
	var c *company.Company
	if found, stored := r.newest(cui); stored {
		if tax := taxProfileOf(&found, 0); tax.err == nil {
			c = new(*tax.company)
			c.Sources = []company.Source{taxSource(tax.retrievedAt)}
		}
	}

	e := r.entry(cui)
	switch {
	case c == nil && e == nil:
		return nil
	case c == nil:
		c = e.bare(cui)
	}

	own := c.StateRegistration
	c.Release = r.trade.DataThrough()
	if e != nil {
		e.join(c)
		c.Sources = append(c.Sources, e.source)
	}

	c.Insolvency = insolvencyOf(c, e)
	if own.IsProblem() && !c.StateRegistration.IsProblem() {
		c.StateRegistration = own
	}

	return c
}
