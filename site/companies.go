package site

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
	"github.com/rodata/rodata/client"
)

// companiesPage is the data of a search for companies.
type companiesPage struct {
	Form     companySearch
	Counties []api.County
	// Asked is false if the page shows only the form.
	Asked bool
	// Companies is nil if the trade register could not be searched; Failure then explains why.
	Companies *companyList
	Failure   *problem.Problem
	// Activities and Places match the words of the search.
	Activities []client.CAENCode
	Places     []api.Place
}

// Empty reports whether nothing at all was found.
func (p companiesPage) Empty() bool {
	return p.Companies != nil && p.Companies.TotalCount == 0 && len(p.Activities)+len(p.Places) == 0
}

// companyList is a list of companies with a badge for each, and the source of the list.
type companyList struct {
	client.CompanyPage
	Rows []companyRow
	// All is the address of the whole result; empty on the page of the result itself.
	All string
	// Previous and Next are the addresses of the neighbouring pages; empty if there is none.
	Previous, Next string
}

// First and Last are the positions of the first and the last company of the page.
func (l *companyList) First() int { return l.Offset + 1 }

// Last is the position of the last company of the page.
func (l *companyList) Last() int { return l.Offset + len(l.Items) }

// companyRow is a company in a list.
type companyRow struct {
	client.CompanySummary
	// Kind is bad, unknown or neutral: never good, because the trade register has no tax data.
	Kind, State string
}

// companySearch is a search with the parameters in the URL of its page.
type companySearch struct {
	Q, County, City, Activity, State, VATPayer, Inactive, EInvoice, Sort string
	Page                                                                 int
}

// rowsOfPage is the number of companies on a page.
const rowsOfPage = 25

// sorts are the orders that the page offers, with the operation's parameters.
var sorts = map[string][2]string{
	"": {}, "name": {"name", ""}, "newest": {"registrationDate", "desc"}, "oldest": {"registrationDate", "asc"},
	"taxId": {"taxId", ""},
}

// loadCompanies loads the result of a search for companies, and the activities and places that match the same words.
func loadCompanies(v *visit) (content, error) {
	form := v.companySearch()
	if to, ok := form.company(); ok {
		return nil, &redirect{to}
	}

	counties, err := v.call("search_counties", "limit", "100")
	if err != nil {
		return nil, err
	}

	var found, activities, places *api.Document
	var failure *problem.Problem
	if form.asked() {
		found, err = v.searchCompanies(form, rowsOfPage)
		if isProblem(err, problem.CAENCodeReplaced) {
			return nil, &redirect{"/caen/" + url.PathEscape(form.Activity)}
		}
		if errors.As(err, &failure) && failure.Status() < 500 && failure.Kind != problem.NotFound {
			return nil, failure
		}
	}

	if form.onlyWords() {
		// If one of these searches fails, the page still shows the results of the others.
		activities, _ = v.call("search_caen_codes", "q", form.Q, "limit", "5")
		places, _ = v.call("search_cities", "q", form.Q, "limit", "5")
	}

	return func() (any, error) {
		page := companiesPage{Form: form, Asked: form.asked(), Failure: failure}
		all, err := decode[api.CountyPage](counties)
		if err != nil {
			return nil, err
		}

		page.Counties = all.Items

		if found != nil {
			if page.Companies, err = v.companyList(found); err != nil {
				return nil, err
			}
			page.Companies.turn(form)
		}

		if activities != nil {
			hits, err := decode[client.CAENPage](activities)
			if err != nil {
				return nil, err
			}

			page.Activities = hits.Items
		}

		if places != nil {
			hits, err := decode[api.PlacePage](places)
			if err != nil {
				return nil, err
			}

			page.Places = hits.Items
		}

		return page, nil
	}, nil
}

// companySearch reads a search from the address.
func (v *visit) companySearch() companySearch {
	s := companySearch{
		Q: v.param("q"), County: v.param("county"), City: v.param("city"),
		Activity: strings.ReplaceAll(v.param("activity"), ".", ""), State: v.param("state"),
		VATPayer: v.param("vatPayer"), Inactive: v.param("inactive"), EInvoice: v.param("eInvoice"),
		Sort: v.param("sort"),
	}
	if _, ok := sorts[s.Sort]; !ok {
		s.Sort = ""
	}

	s.Page, _ = strconv.Atoi(v.param("page"))
	s.Page = min(max(s.Page, 1), 40_000) // the operation skips at most 999,999 matches
	return s
}

// asked reports whether the search has any condition.
func (s companySearch) asked() bool {
	s.Sort, s.Page = "", 0
	return s != companySearch{}
}

// onlyWords reports whether the search is the first page of a query without filters.
func (s companySearch) onlyWords() bool {
	return s == companySearch{Q: s.Q, Sort: s.Sort, Page: 1} && s.Q != ""
}

// Filtered reports whether the search has filters.
func (s companySearch) Filtered() bool {
	return s != companySearch{Q: s.Q, Sort: s.Sort, Page: s.Page}
}

// taxID matches a tax id as people type it. Fewer than five digits match only with a prefix such as RO, because they
// may be the code of an activity.
var taxID = regexp.MustCompile(`^(?i:(?:cui|cif|ro)[\s:]*(?:ro)?\s*(\d{2,10})|(\d{5,10}))$`)

// company returns the path of the company's page if the query is a valid tax id.
func (s companySearch) company() (path string, ok bool) {
	found := taxID.FindStringSubmatch(strings.TrimSpace(s.Q))
	if found == nil {
		return "", false
	}

	var cui api.CUI
	if cui.UnmarshalText([]byte(found[1]+found[2])) != nil {
		return "", false
	}

	return "/companies/" + cui.String(), true
}

// args returns the parameters of the operation. The operation has different parameters for a class and for a section,
// division or group.
func (s companySearch) args() []string {
	class, industry := s.Activity, ""
	if len(class) < len("6210") {
		class, industry = "", s.Activity
	}

	sort := sorts[s.Sort]
	return []string{
		"q", s.Q, "county", s.County, "city", s.City, "naceCode", class, "industryId", industry, "state", s.State,
		"vatPayer", s.VATPayer, "inactive", s.Inactive, "eInvoice", s.EInvoice, "sortBy", sort[0],
		"sortDirection", sort[1],
	}
}

// Export is the address of the result as a file.
func (s companySearch) Export(format string, lang language) string {
	args := append(s.args(), "format", format)
	if format == "csv" && lang == romanian {
		args = append(args, "delimiter", ";")
	}
	return "/v1/companies?" + encoded(args).Encode()
}

// address is the address of a page of the result.
func (s companySearch) address(page int) string {
	number := ""
	if page > 1 {
		number = strconv.Itoa(page)
	}
	return "/companies?" + encoded([]string{
		"q", s.Q, "county", s.County, "city", s.City, "activity", s.Activity, "state", s.State,
		"vatPayer", s.VATPayer, "inactive", s.Inactive, "eInvoice", s.EInvoice, "sort", s.Sort, "page", number,
	}).Encode()
}

// encoded returns URL parameters from alternating names and values, without empty values.
func encoded(nameValue []string) url.Values {
	values := make(url.Values)
	for i := 0; i+1 < len(nameValue); i += 2 {
		if nameValue[i+1] != "" {
			values.Set(nameValue[i], nameValue[i+1])
		}
	}

	return values
}

// searchCompanies calls the operation for a page of a search.
func (v *visit) searchCompanies(s companySearch, rows int) (*api.Document, error) {
	offset := max(s.Page-1, 0) * rows
	return v.call("search_companies", append(s.args(), "limit", strconv.Itoa(rows), "offset", strconv.Itoa(offset))...)
}

// companyList decodes a page of companies.
func (v *visit) companyList(found *api.Document) (*companyList, error) {
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
