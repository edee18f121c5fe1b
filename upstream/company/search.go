package company

import (
	"context"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream/internal/index"
	"github.com/rodata/rodata/upstream/internal/tradenumber"
)

// Search returns a page of the trade register's companies, with the stored data of the
// tax authority. Missing data is fetched in the background for the next time.
func (r *Register) Search(ctx context.Context, q api.CompanyQuery) (api.CompanyMatches, error) {
	page, through, err := r.trade.Search(ctx, index.Query{
		Text: q.Text, County: q.County, City: q.City, Class: q.Class, Industry: q.Industry,
		Sort: q.Sort, Direction: q.Direction, Limit: int(q.Limit), Offset: int(q.Offset),
	})
	if err != nil {
		return api.CompanyMatches{}, err
	}

	matches := api.CompanyMatches{Total: page.Total, Through: through, Items: make([]api.CompanySummary, len(page.Firms))}
	for i := range page.Firms {
		matches.Items[i] = r.summary(ctx, &page.Firms[i])
	}
	return matches, nil
}

// TaxID returns the tax id of the company with a register number, in either spelling. A
// wrong control digit is [api.ErrUnknown], and so is a company without a tax id.
func (r *Register) TaxID(_ context.Context, number string) (api.CUI, error) {
	parsed, ok := tradenumber.ParseStrict(number)
	if !ok {
		return 0, api.ErrUnknown
	}
	firms, _, err := r.trade.ByNumber(parsed)
	if err != nil {
		return 0, err
	}

	for i := range firms {
		if firms[i].TaxID != 0 {
			return api.CUI(firms[i].TaxID), nil
		}
	}
	return 0, api.ErrUnknown
}

func (r *Register) summary(ctx context.Context, f *index.Firm) api.CompanySummary {
	s := api.CompanySummary{
		Name: f.Name, StateRegistration: f.State,
		CompanyType: or(nil, f.Form), TradeNumber: or(nil, f.Number), County: countyName(f.County), City: or(nil, f.City),
		MainNACECode: mainCode(f), Address: or(nil, f.Address), Website: or(nil, f.Website),
	}
	if f.Registered != 0 {
		s.RegistrationDate = &f.Registered
	}
	if s.StateRegistration == "" {
		s.StateRegistration = api.UnknownState
	}
	if f.TaxID == 0 {
		return s
	}

	cui := api.CUI(f.TaxID)
	s.TaxID = &cui
	found, stored := r.records.Peek(cui)
	if !stored {
		r.records.Prefetch(ctx, cui)
		return s
	}

	tax := taxProfileOf(&found)
	if tax.err != nil {
		return s
	}

	s.VATPayer, s.Phone = tax.company.VATPayer, tax.company.Phone
	if tax.company.MainNACECode != nil {
		s.MainNACECode = tax.company.MainNACECode
	}
	return s
}

// Name is the name of a company as the trade register has it, or as far as the tax authority's record is stored; empty
// when neither is known.
func (r *Register) Name(cui api.CUI) string {
	if e := r.entry(cui); e != nil {
		return e.firm.Name
	}
	found, stored := r.records.Peek(cui)
	if !stored {
		return ""
	}
	if tax := taxProfileOf(&found); tax.err == nil {
		return tax.company.Name
	}
	return ""
}
