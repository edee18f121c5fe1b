package client

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

const companiesPath = "/v1/companies"

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
	States []State
	// SeatExpired selects the companies whose right to use the registered office has expired, or all others.
	SeatExpired *bool
	VATPayer    *bool
	Inactive    *bool
	EInvoice    *bool
	// TurnoverMin and the others bound figures in the newest yearly statement; nil for no bound. Amounts are in whole
	// RON, and losses are negative.
	TurnoverMin, TurnoverMax   *int64
	NetResultMin, NetResultMax *int64
	EmployeesMin, EmployeesMax *int64
	// Statement is filed or not_in_published_files, for the year of these figures; empty for any.
	Statement string
	// Limit is the size of the page, 1 to 100; 0 means 25. Offset is the number of matches to skip.
	Limit  int
	Offset int
	// SortBy is relevance, name, registrationDate, taxId, turnover, netResult or employees; Descending reverses it.
	SortBy     string
	Descending bool
}

// CompanyPage is a page of matching companies.
type CompanyPage struct {
	TotalCount int `json:"totalCount"`
	// NotObserved is the number of companies that match the rest of the search but have never been checked for
	// VATPayer, Inactive and EInvoice. It is nil if the search has none of these fields.
	NotObserved *int `json:"notObserved"`
	Limit       int  `json:"limit"`
	Offset      int  `json:"offset"`
	TookMs      int  `json:"tookMs"`
	// NACECodeReplacedBy has the CAEN Rev.3 codes that replace the code of the search, if Rev.3 dropped it.
	NACECodeReplacedBy []string `json:"naceCodeReplacedBy,omitempty"`
	// StatementsYear is the year of the figures; nil if the search is not about figures.
	StatementsYear *int  `json:"statementsYear"`
	DataThrough    *Date `json:"dataThrough"`

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
	// Turnover, NetResult and Employees are in the yearly statement of StatementsYear, in a search by these; nil if not
	// stated.
	Turnover   *int64 `json:"turnover,omitempty"`
	NetResult  *int64 `json:"netResult,omitempty"`
	Employees  *int64 `json:"employees,omitempty"`
	StatusDate *Date  `json:"statusDate,omitempty"`
}

// SearchCompanies returns a page of the companies that match.
func (c *Client) SearchCompanies(ctx context.Context, s Search) (*CompanyPage, error) {
	return get[CompanyPage](ctx, c, companiesPath, s.params())
}

func (s *Search) params() params {
	p := params{
		"q": s.Text, "county": s.County, "city": s.City, "naceCode": s.NACECode, "industryId": s.Industry,
		"state": list(s.States), "seatExpired": s.SeatExpired, "vatPayer": s.VATPayer, "inactive": s.Inactive,
		"eInvoice": s.EInvoice, "limit": s.Limit, "offset": s.Offset, "sortBy": s.SortBy,
		"turnoverMin": s.TurnoverMin, "turnoverMax": s.TurnoverMax, "netResultMin": s.NetResultMin,
		"netResultMax": s.NetResultMax, "employeesMin": s.EmployeesMin, "employeesMax": s.EmployeesMax,
		"statement": s.Statement,
	}
	if s.Descending {
		p["sortDirection"] = "desc"
	}

	return p
}

// ExportCompanies writes the companies that match as a CSV table with a header, and returns their number. Limit and
// Offset do not apply. The gateway sends up to 10,000 companies an answer; only whole answers are written, so the rows
// before an error are complete. 100 companies cost 1 credit. If a release of the trade register is loaded meanwhile, it
// fails with a *Problem with CodeInvalidRequest.
func (c *Client) ExportCompanies(ctx context.Context, s Search, w io.Writer) (rows int, err error) {
	s.Limit, s.Offset = 0, 0
	query := s.params().values()
	query.Set("format", "csv")
	for first := true; ; first = false {
		table, next, err := c.exportPage(ctx, query)
		if err != nil {
			return rows, err
		}

		records, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
		if err != nil {
			return rows, fmt.Errorf("reading the exported companies: %w", err)
		}
		if !first {
			_, table, _ = bytes.Cut(table, []byte("\n")) // the header again
		}
		if _, err := w.Write(table); err != nil {
			return rows, err
		}

		rows += max(len(records)-1, 0)
		if next == "" {
			return rows, nil
		}

		query.Set("after", next)
	}
}

// exportPage returns a part of an export, and the cursor of the next part; the cursor is empty after the last part.
func (c *Client) exportPage(ctx context.Context, query url.Values) (table []byte, next string, err error) {
	res, err := c.open(ctx, request{method: http.MethodGet, path: companiesPath, query: query, accept: CSVFile})
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()

	if !isOf(res, CSVFile) {
		return nil, "", unexpectedAnswer(res)
	}
	if table, err = readBody(res); err != nil {
		return nil, "", err
	}

	address, _, _ := strings.Cut(strings.TrimPrefix(res.Header.Get("Link"), "<"), `>; rel="next"`)
	following, err := url.Parse(address)
	if err != nil {
		return nil, "", fmt.Errorf("reading the address of the next companies: %w", err)
	}

	return table, following.Query().Get("after"), nil
}
