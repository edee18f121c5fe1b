package site

import (
	"fmt"

	"github.com/rodata/rodata/client"
	"github.com/rodata/rodata/op"
)

// companyList is a list of companies with a badge for each, and the source of the list.
type companyList struct {
	client.CompanyPage
	Rows []companyRow
	// All is the address of the whole result; empty on the page of the result itself.
	All string
	// Previous and Next are the addresses of the neighbouring pages; empty if there is none.
	Previous, Next string
}

// First is the position of the first company of the page.
func (l *companyList) First() int { return l.Offset + 1 }

// Last is the position of the last company of the page.
func (l *companyList) Last() int { return l.Offset + len(l.Items) }

// companyRow is a company in a list.
type companyRow struct {
	client.CompanySummary
	// Kind is bad, unknown or neutral: never good, because the trade register has no tax data.
	Kind, State string
}

// companyList decodes a page of companies.
func (v *visit) companyList(found *op.Document) (*companyList, error) {
	page, err := decode[client.CompanyPage](found)
	if err != nil {
		return nil, fmt.Errorf("reading companies: %w", err)
	}

	list := &companyList{CompanyPage: *page}
	for _, company := range page.Items {
		list.Rows = append(list.Rows, newCompanyRow(words{v.lang}, company))
	}

	return list, nil
}

// turn sets the addresses of the previous and the next page.
func (l *companyList) turn(s companySearch) {
	if s.Page > 1 {
		l.Previous = s.address(s.Page - 1)
	}
	if l.Last() < l.TotalCount && len(l.Items) > 0 {
		l.Next = s.address(s.Page + 1)
	}
}

// newCompanyRow chooses the badge of a company. A search result has only the state in the trade register to judge by.
func newCompanyRow(w words, company client.CompanySummary) companyRow {
	switch company.StateRegistration {
	case client.InOperation:
		return companyRow{company, "neutral", w.say("state.in_operation")}
	case client.UnknownState, "":
		return companyRow{company, "unknown", w.say("verdict.state")}
	}

	return companyRow{company, "bad", w.say("state." + string(company.StateRegistration))}
}

// someCompanies loads the first companies of a search for the page of an activity or a place. If the search fails, the
// page says so.
func (v *visit) someCompanies(s companySearch) func() (*companyList, error) {
	found, err := v.searchCompanies(s, 10)
	return func() (*companyList, error) {
		if err != nil {
			return nil, nil // the companies are only an addition to the page
		}

		list, err := v.companyList(found)
		if err == nil {
			list.All = s.address(1)
		}

		return list, err
	}
}
