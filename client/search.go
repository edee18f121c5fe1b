package client

import (
	"context"
	"net/url"
	"strconv"
)

// Search is a search of companies. Empty or nil fields do not restrict it.
type Search struct {
	// Text is a name or part of one, a tax id or a trade register number.
	Text string
	// County is a name, a plate code (CJ) or a number.
	County string
	City   string
	// NACECode is a CAEN Rev.3 class (4 digits). Industry is a section (a letter), a division (2 digits) or a group (3
	// digits).
	NACECode string
	Industry string
	// States are the accepted states by the trade register; empty for any.
	States   []State
	VATPayer *bool
	Inactive *bool
	EInvoice *bool
	// Limit is the size of the page, 1 to 100; 0 means 25. Offset is the number of matches to skip.
	Limit  int
	Offset int
	// SortBy is relevance, name, registrationDate or taxId; Descending reverses it.
	SortBy     string
	Descending bool
}

// CompanyPage is a page of matching companies.
type CompanyPage struct {
	TotalCount int `json:"totalCount"`
	// NotObserved is the number of companies that match the rest of the search but have never been checked for
	// VATPayer, Inactive and EInvoice. It is nil if the search has none of these fields.
	NotObserved *int  `json:"notObserved"`
	Limit       int   `json:"limit"`
	Offset      int   `json:"offset"`
	TookMs      int   `json:"tookMs"`
	DataThrough *Date `json:"dataThrough"`

	Items []CompanySummary `json:"items"`
}

// CompanySummary is a company in a page of a search.
type CompanySummary struct {
	// TaxID is nil for a firm without one in the trade register.
	TaxID             *int64  `json:"taxId"`
	Name              string  `json:"name"`
	CompanyType       *string `json:"companyType"`
	TradeNumber       *string `json:"tradeNumber"`
	County            *string `json:"county"`
	City              *string `json:"city"`
	MainNACECode      *string `json:"mainNaceCode"`
	RegistrationDate  *Date   `json:"registrationDate"`
	StateRegistration State   `json:"stateRegistration"`
	Address           *string `json:"address"`
	VATPayer          *bool   `json:"vatPayer"`
	Phone             *string `json:"phone"`
	Website           *string `json:"website"`
	StatusDate        *Date   `json:"statusDate,omitempty"`
}

// SearchCompanies returns a page of the companies that match.
func (c *Client) SearchCompanies(ctx context.Context, s Search) (*CompanyPage, error) {
	query := make(url.Values)
	setText(query, "q", s.Text)
	setText(query, "county", s.County)
	setText(query, "city", s.City)
	setText(query, "naceCode", s.NACECode)
	setText(query, "industryId", s.Industry)
	setText(query, "sortBy", s.SortBy)
	setList(query, "state", s.States)
	for name, wanted := range map[string]*bool{"vatPayer": s.VATPayer, "inactive": s.Inactive, "eInvoice": s.EInvoice} {
		if wanted != nil {
			query.Set(name, strconv.FormatBool(*wanted))
		}
	}

	setNumber(query, "limit", s.Limit)
	setNumber(query, "offset", s.Offset)
	if s.Descending {
		query.Set("sortDirection", "desc")
	}

	return get[CompanyPage](ctx, c, "/v1/companies", query)
}

func setNumber(query url.Values, name string, n int) {
	if n != 0 {
		query.Set(name, strconv.Itoa(n))
	}
}
