package api

import "context"

// TradeRegister searches the companies of the trade register. Before the first load, every
// search fails with a Problem that tells the progress of the load.
type TradeRegister interface {
	// Search returns one page of the companies that match a query.
	Search(context.Context, CompanyQuery) (CompanyMatches, error)
	// TaxID returns the tax id of the company with a register number, in either of its
	// spellings; ErrUnknown when there is none, or when it has no tax id.
	TaxID(ctx context.Context, number string) (CUI, error)
}

// CompanyQuery is a query for companies; zero fields do not restrict it.
type CompanyQuery struct {
	// Text is a name, in part or whole, a CUI or a register number.
	Text string
	// County is a county's number, City the name of a place.
	County int
	City   string
	// Class and Industry are a CAEN class, and a section or division.
	Class    NACECode
	Industry IndustryID
	// VATPayer, Inactive and EInvoice are what the tax authority says of a company.
	VATPayer, Inactive, EInvoice YesNo
	// Sort and Direction are the order.
	Sort      SortBy
	Direction SortDirection
	Limit     Limit
	Offset    Offset
	// Stored restricts the search to stored facts: it starts no fetches in the background.
	Stored bool
}

// CompanyMatches is one page of the result of a query.
type CompanyMatches struct {
	// Total is how many companies match.
	Total int
	// NotObserved is how many companies match the query but for the statuses that it asks for, and were not looked at;
	// nil when it asks for none.
	NotObserved *int
	// Through is the day of the release that was searched.
	Through Date
	// Items are the companies on the page, never nil.
	Items []CompanySummary
}
