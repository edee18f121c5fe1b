package site

import (
	"strconv"

	"github.com/rodata/rodata/api/company"
)

// companyList is a list of companies with a badge for each, and the source of the list.
type companyList struct {
	company.Page
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
	company.Summary
	// Kind is bad, unknown or neutral: never good, because the trade register has no tax data.
	Kind, State string
}

// newCompanyRow chooses the badge of a company. A search result has only the state in the trade register to judge by.
func newCompanyRow(w words, c company.Summary) companyRow {
	switch c.StateRegistration {
	case company.InOperation:
		return companyRow{c, "neutral", w.say("state.in_operation")}
	case company.UnknownState, "":
		return companyRow{c, "unknown", w.say("verdict.state")}
	}

	return companyRow{c, "bad", w.say("state." + string(c.StateRegistration))}
}

// searchCompanies loads a page of a search.
func (v *visit) searchCompanies(s companySearch, rows int) (*companyList, error) {
	found, err := ask[company.Page](v, "search_companies", append(s.args(), "limit", strconv.Itoa(rows), "offset",
		strconv.Itoa((s.Page-1)*rows))...)
	if err != nil {
		return nil, err
	}

	list := &companyList{Page: found}
	for _, c := range found.Items {
		list.Rows = append(list.Rows, newCompanyRow(words{v.lang}, c))
	}

	if s.Page > 1 {
		list.Previous = s.address(s.Page - 1)
	}
	if list.Last() < list.TotalCount && len(list.Items) > 0 {
		list.Next = s.address(s.Page + 1)
	}

	return list, nil
}

// someCompanies loads the first companies of a search for the page of an activity or a place. If the search fails, the
// page says so.
func (v *visit) someCompanies(s companySearch) *companyList {
	s.Page = 1
	list, err := v.searchCompanies(s, 10)
	if err != nil {
		return nil // the companies are only an addition to the page
	}

	list.All = s.address(1)
	return list
}
