package api

import "context"

// TradeRegister is the search of the trade register's companies. Until it is
// loaded for the first time, every question is answered with a Problem that says
// how far that is.
type TradeRegister interface {
	// Search is one page of the companies that a query describes.
	Search(context.Context, CompanyQuery) (CompanyMatches, error)
}

// CompanyQuery says which companies are searched for; what is zero does not
// matter.
type CompanyQuery struct {
	// Text is a name, in part or whole, a CUI or a register number.
	Text string
	// County is a county's number, City the name of a place.
	County int
	City   string
	// Class and Industry are a CAEN class, and a section or division.
	Class    NACECode
	Industry IndustryID
	// Sort and Direction are the order.
	Sort      SortBy
	Direction SortDirection
	Limit     Limit
	Offset    Offset
}

// CompanyMatches is one page of what a query found.
type CompanyMatches struct {
	// Total is how many companies match.
	Total int
	// Through is the day of the release that was searched.
	Through Date
	// Items are those of the page, never nil.
	Items []CompanySummary
}
