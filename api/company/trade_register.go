package company

import (
	"context"

	"github.com/rodata/rodata/internal/tradenumber"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// TradeRegister searches the companies of the trade register. Before the first load, every search fails with a Problem
// that reports the progress of the load.
type TradeRegister interface {
	// Search returns one page of the companies that match a query.
	Search(context.Context, Query) (Matches, error)
	// TaxID returns the tax id of the company with a register number; ErrUnknown if there is no such company, or it has
	// no tax id.
	TaxID(ctx context.Context, number tradenumber.Number) (ro.CUI, error)
}

// Query is a query for companies; zero fields do not restrict it.
type Query struct {
	// Text is a name or part of one, a CUI, or a register number.
	Text string
	// County is a county's number, and City the name of a place.
	County int
	City   string
	// Class and Industry are a CAEN class, and a section, division or group.
	Class    NACECode
	Industry IndustryID
	// States are the accepted states; empty for any.
	States []StateRegistration
	// SeatExpired selects the companies whose right to use the registered office has expired, or all others.
	SeatExpired ro.YesNo
	// VATPayer, Inactive and EInvoice are statuses at the tax authority.
	VATPayer, Inactive, EInvoice ro.YesNo
	FigureFilter
	// WithFigures adds these figures to the items, if they are loaded. A query that needs them fails with a Problem
	// while they are not.
	WithFigures bool
	// Sort and Direction are the order.
	Sort      SortBy
	Direction SortDirection
	Limit     op.Limit
	Offset    op.Offset
	// Stored restricts the search to stored facts: it starts no background fetches.
	Stored bool
}

// Matches is one page of the result of a query.
type Matches struct {
	// Total is the number of matching companies.
	Total int
	// NotObserved is the number of companies that match except for the requested statuses, which have not been
	// observed; nil if the query has no statuses.
	NotObserved *int
	// StatementsYear is the year of the figures in the items; nil if they have none.
	StatementsYear *int
	// Through is the day of the release that was searched.
	Through ro.Date
	// Items are the companies on the page, never nil.
	Items []Summary
}
