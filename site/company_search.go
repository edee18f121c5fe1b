package site

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/rodata/rodata/ro"
)

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

// companySearch reads a search from the address of the page.
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
	return "/v1/companies?" + encodeParams(args).Encode()
}

// address is the address of a page of the result.
func (s companySearch) address(page int) string {
	number := ""
	if page > 1 {
		number = strconv.Itoa(page)
	}
	return "/companies?" + encodeParams([]string{
		"q", s.Q, "county", s.County, "city", s.City, "activity", s.Activity, "state", s.State,
		"vatPayer", s.VATPayer, "inactive", s.Inactive, "eInvoice", s.EInvoice, "sort", s.Sort, "page", number,
	}).Encode()
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
