package site

import (
	"cmp"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/reference"
	rules "github.com/rodata/rodata/api/verdict"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// companySearch is a search with the parameters in the URL of its page.
type companySearch struct {
	Q, County, City, Activity, State, SeatExpired, VATPayer, Inactive, EInvoice, Sort string
	TurnoverMin, TurnoverMax, EmployeesMin, EmployeesMax, Statement                   string
	Page                                                                              int
}

// rowsOfPage is the number of companies on a page.
const rowsOfPage = 25

// sorts are the orders that the page offers, with the operation's parameters.
var sorts = map[string][2]string{
	"": {}, "name": {"name", ""}, "newest": {"registrationDate", "desc"}, "oldest": {"registrationDate", "asc"},
	"taxId": {"taxId", ""}, "turnover": {"turnover", "desc"}, "employees": {"employees", "desc"},
}

// grouped matches a separator of groups of digits and the group after it: .000 in 1.000.
var grouped = regexp.MustCompile(`[.,\s\x{a0}\x{202f}](\d{3})\b`)

// whole returns a parameter that is a whole number, which people write in groups of digits.
func (v *visit) whole(name string) string { return grouped.ReplaceAllString(v.param(name), "$1") }

// companySearch reads a search from the address of the page.
func (v *visit) companySearch() companySearch {
	s := companySearch{
		Q: v.param("q"), County: v.param("county"), City: v.param("city"),
		Activity: strings.ReplaceAll(v.param("activity"), ".", ""), State: v.param("state"),
		SeatExpired: v.param("seatExpired"), VATPayer: v.param("vatPayer"), Inactive: v.param("inactive"),
		EInvoice: v.param("eInvoice"), Sort: v.param("sort"),
		TurnoverMin: v.whole("turnoverMin"), TurnoverMax: v.whole("turnoverMax"),
		EmployeesMin: v.whole("employeesMin"), EmployeesMax: v.whole("employeesMax"), Statement: v.param("statement"),
	}
	if _, ok := sorts[s.Sort]; !ok {
		s.Sort = ""
	}
	if s.Sort == "" && s.Q == "" && s.TurnoverMin+s.TurnoverMax != "" { // nothing else gives an order
		s.Sort = "turnover"
	}

	s.Page, _ = strconv.Atoi(v.param("page"))
	s.Page = min(max(s.Page, 1), 40_000) // the operation skips at most 999,999 matches
	return s
}

// hasCondition reports whether the search has any condition.
func (s companySearch) hasCondition() bool {
	s.Sort, s.Page = "", 0
	return s != companySearch{}
}

// hasOnlyWords reports whether the search is the first page of a query without filters.
func (s companySearch) hasOnlyWords() bool {
	return s == companySearch{Q: s.Q, Sort: s.Sort, Page: 1} && s.Q != ""
}

// IsFiltered reports whether the search is narrowed by anything but its text.
func (s companySearch) IsFiltered() bool {
	return s != companySearch{Q: s.Q, Sort: s.Sort, Page: s.Page}
}

// company returns the path of the company's page if the query is a valid tax id. Fewer than five digits need a prefix
// such as RO, because they may be the code of an activity.
func (s companySearch) company() (path string, ok bool) {
	q := strings.TrimSpace(s.Q)
	if cui, err := ro.ParseCUI(q); err == nil && (cui >= 10_000 || !unicode.IsDigit(rune(q[0]))) {
		return "/companies/" + cui.String(), true
	}
	return "", false
}

// WrongCUI describes the error in a query that is a tax id with a wrong control digit. For other queries it is nil.
func (s companySearch) WrongCUI(lang language) *wrongInput {
	_, err := ro.ParseCUI(s.Q)
	input, ok := errors.AsType[*problem.InputError](err)
	if !ok || input.Code != problem.CheckDigit {
		return nil
	}

	input.Parameter, input.Received = "cui", &s.Q
	wrong := words{lang}.wrong(input)
	return &wrong
}

// filters are the parameters that the page and the operation share.
func (s companySearch) filters() []string {
	return []string{
		"q", s.Q, "county", s.County, "city", s.City, "state", s.State, "seatExpired", s.SeatExpired,
		"vatPayer", s.VATPayer, "inactive", s.Inactive, "eInvoice", s.EInvoice, "turnoverMin", s.TurnoverMin,
		"turnoverMax", s.TurnoverMax, "employeesMin", s.EmployeesMin, "employeesMax", s.EmployeesMax,
		"statement", s.Statement,
	}
}

// args returns the parameters of the operation. The operation has different parameters for a class and for a section,
// division or group.
func (s companySearch) args() []string {
	class, industry := s.Activity, ""
	if len(class) < len("6210") {
		class, industry = "", s.Activity
	}

	sort := sorts[s.Sort]
	return append(s.filters(), "naceCode", class, "industryId", industry, "sortBy", sort[0], "sortDirection", sort[1])
}

// rangeInput is a field of the form for a bound of a range.
type rangeInput struct{ Name, Label, Value string }

// Ranges are the fields of the form for ranges of figures.
func (s companySearch) Ranges() []rangeInput {
	return []rangeInput{
		{"turnoverMin", "companies.turnoverMin", s.TurnoverMin},
		{"turnoverMax", "companies.turnoverMax", s.TurnoverMax},
		{"employeesMin", "companies.employeesMin", s.EmployeesMin},
		{"employeesMax", "companies.employeesMax", s.EmployeesMax},
	}
}

// Export is the address of the result as a file.
func (s companySearch) Export(format string, lang language) string {
	args := append(s.args(), "format", format)
	if format == "csv" && lang == romanian {
		args = append(args, "delimiter", ";")
	}
	return "/v1/companies?" + encodeParams(args).Encode()
}

// address is the address of a page of the result.
func (s companySearch) address(page int) string {
	number := ""
	if page > 1 {
		number = strconv.Itoa(page)
	}
	return "/companies?" + encodeParams(append(s.filters(), "activity", s.Activity, "sort", s.Sort,
		"page", number)).Encode()
}

// encodeParams returns URL parameters from alternating names and values, without empty values.
func encodeParams(nameValue []string) url.Values {
	values := make(url.Values)
	for i := 0; i+1 < len(nameValue); i += 2 {
		if nameValue[i+1] != "" {
			values.Set(nameValue[i], nameValue[i+1])
		}
	}

	return values
}

// stateChoice is a choice of states in the form of the search.
type stateChoice struct {
	// Value is the operation's parameter: one state, or several separated by commas.
	Value, Name string
	Chosen      bool
}

// inProceedings are the states of companies that are being wound up or reorganized.
const inProceedings = string(company.Dissolved + "," + company.InLiquidation + "," + company.InReorganization + "," +
	company.Insolvent + "," + company.Bankrupt)

// States returns the choices of states: each state, all states of companies in proceedings, and the list in the
// address if it is neither.
func (s companySearch) States(lang language) (choices []stateChoice) {
	w := words{lang}
	for _, state := range company.StateRegistration("").Schema().Enum {
		choices = append(choices, stateChoice{Value: state, Name: w.state(state)})
	}

	choices = append(choices, stateChoice{Value: inProceedings, Name: w.say("companies.proceedings")})

	chosen := slices.IndexFunc(choices, func(c stateChoice) bool { return c.Value == s.State })
	if chosen < 0 && s.State != "" {
		var names []string
		for state := range strings.SplitSeq(s.State, ",") {
			names = append(names, w.state(strings.TrimSpace(state)))
		}

		choices = append(choices, stateChoice{Value: s.State, Name: strings.Join(names, ", ")})
		chosen = len(choices) - 1
	}

	if chosen >= 0 {
		choices[chosen].Chosen = true
	}

	return choices
}

// state returns the name of a state, or the text itself if there is no such state.
func (w words) state(state string) string {
	switch {
	case state == string(company.UnknownState):
		return w.say("companies.stateUnknown")
	case slices.Contains(company.StateRegistration("").Schema().Enum, state):
		return w.say("state." + state)
	}

	return state
}

// companiesPage is the data of a search for companies.
type companiesPage struct {
	Form     companySearch
	Counties []reference.County
	// Searched is false if the page shows only the form.
	Searched bool
	// Companies is nil if the trade register could not be searched; Failure then explains why.
	Companies *companyList
	Failure   *problem.Problem
	// Activities and Places match the words of the search.
	Activities []reference.Activity
	Places     []reference.Place
}

// HasOnlyOthers reports whether activities or places match, but no company. They are then shown above the notice that
// no company was found.
func (p companiesPage) HasOnlyOthers() bool {
	return p.Companies != nil && p.Companies.TotalCount == 0 && len(p.Activities)+len(p.Places) > 0
}

// loadCompanies loads the result of a search for companies, and the activities and places that match the same words.
func loadCompanies(v *visit) (any, error) {
	form := v.companySearch()
	if to, ok := form.company(); ok {
		return nil, &redirect{to}
	}

	page := companiesPage{Form: form, Searched: form.hasCondition()}
	counties, err := ask[reference.CountyPage](v, "search_counties", "limit", "100")
	if err != nil {
		return nil, err
	}

	page.Counties = counties.Items
	if page.Searched {
		page.Companies, err = v.searchCompanies(form, rowsOfPage)
		if isProblem(err, problem.InvalidRequest) && errors.As(err, &page.Failure) {
			return nil, &refusedForm{"companies", page}
		}
		if errors.As(err, &page.Failure) && page.Failure.Status() < 500 && page.Failure.Kind != problem.NotFound {
			return nil, err
		}
	}

	if form.hasOnlyWords() {
		// If one of these searches fails, the page still shows the results of the others.
		activities, _ := ask[reference.ActivityPage](v, "search_caen_codes", "q", form.Q, "limit", "5")
		places, _ := ask[reference.PlacePage](v, "search_cities", "q", form.Q, "limit", "5")
		page.Activities, page.Places = activities.Items, places.Items
	}

	return page, nil
}

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

// FiguresYear is the year of the figures; 0 for a search without figures.
func (l *companyList) FiguresYear() int { return deref(l.StatementsYear) }

// Last is the position of the last company of the page.
func (l *companyList) Last() int { return l.Offset + len(l.Items) }

// companyRow is a company in a list.
type companyRow struct {
	company.Summary
	Badges []badge
	// Listed is the state in the trade register, if no badge has the state.
	Listed string
	// Figures are the yearly figures by which the search filters or sorts, each with its name and year.
	Figures []string
}

// newCompanyRow judges a company by what the search returned. A secondary entry tells nothing about its company.
func newCompanyRow(w words, c company.Summary, release *ro.Date) companyRow {
	row := companyRow{Summary: c}
	if !c.Secondary {
		row.Badges = w.listed(rules.OfSummary(&c, release, ro.Today()))
	}

	slices.SortStableFunc(row.Badges, byRank)
	if !slices.ContainsFunc(row.Badges, func(b badge) bool { return b.Fact == "state" }) {
		row.Listed = w.say("company.listed", "text", w.state(string(c.StateRegistration)))
	}

	return row
}

// figures are the figures of a company by which the search sorts or selects, with the year of its statement.
func (s companySearch) figures(w words, c *company.Summary, year *int) (texts []string) {
	if year == nil {
		return nil
	}

	add := func(name string, isWanted, isMoney bool, value *int64) {
		if !isWanted {
			return
		}

		text := cmp.Or(w.figure(value, isMoney), w.say("sheets.unstated"))
		texts = append(texts, w.say("companies.figure", "name", w.say(name), "year", *year, "value", text))
	}

	add("sheets.turnover", s.Sort == "turnover" || s.TurnoverMin+s.TurnoverMax != "", true, c.Turnover)
	add("sheets.employees", s.Sort == "employees" || s.EmployeesMin+s.EmployeesMax != "", false, c.Employees)
	return texts
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
		row := newCompanyRow(words{v.lang}, c, found.DataThrough)
		row.Figures = s.figures(words{v.lang}, &c, found.StatementsYear)
		list.Rows = append(list.Rows, row)
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
