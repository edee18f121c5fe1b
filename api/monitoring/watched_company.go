package monitoring

import (
	"context"
	"net/http"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/api/verdict"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// WatchedCompany is a company in a watch-list.
type WatchedCompany struct {
	TaxID             ro.CUI                    `json:"taxId" doc:"Its tax id."`
	Name              *string                   `json:"name" doc:"Its name; null if it is not known."`
	Reference         *string                   `json:"reference" doc:"Your reference; null for none."`
	State             WatchedState              `json:"state" doc:"The result of the last check: new before the first one, found, or not_found when no register has the number."`
	StateRegistration company.StateRegistration `json:"stateRegistration" doc:"State of the company by the registers' last data; a closure counts even if only one of them reports it."`
	VATPayer          *bool                     `json:"vatPayer" doc:"Registered for VAT at the last check; null when unknown."`
	VATEndedOn        *ro.Date                  `json:"vatEndedOn" doc:"First day after the last VAT registration, if it has ended; null otherwise, or when unknown."`
	Inactive          *bool                     `json:"inactive" doc:"Fiscally inactive at the last check; null when unknown."`
	Paid              bool                      `json:"paid" doc:"False if the credits did not cover this month, so that it is not checked."`
	AddedAt           time.Time                 `json:"addedAt" doc:"When it was added, UTC."`
	LastCheckedAt     *time.Time                `json:"lastCheckedAt" doc:"When it was last checked, UTC; null if never."`
	NextCheckAt       *time.Time                `json:"nextCheckAt" doc:"The earliest time of the next check, UTC; null while it is not paid."`
	LastEventAt       *time.Time                `json:"lastEventAt" doc:"When it last changed, UTC; null if not since it was added."`

	// Profile is what is stored about the company, with the statuses of the last check, for the rules of the verdict.
	// It is nil if nothing is known.
	Profile *company.Company `json:"-"`
}

// WatchedState is the result of the last look at a watched company.
type WatchedState string

// The states.
const (
	WatchedNew      WatchedState = "new"
	WatchedFound    WatchedState = "found"
	WatchedNotFound WatchedState = "not_found"
)

// Schema lists the states.
func (WatchedState) Schema() jsonschema.Schema {
	return jsonschema.Enum(WatchedNew, WatchedFound, WatchedNotFound)
}

// Concern is how urgently a watched company needs attention.
type Concern int

// The levels, the most urgent first.
const (
	// HasProblem means that the company is not found or not paid, or that a rule of the verdict at the level stop or
	// attention fails.
	HasProblem Concern = iota
	// HasUnknown means that it is not checked yet, or that a rule is unknown.
	HasUnknown
	// HasNone means neither.
	HasNone
)

// Concern returns how urgently the company needs attention today.
func (c *WatchedCompany) Concern(today ro.Date) Concern {
	concern := HasNone
	if c.State == WatchedNew {
		concern = HasUnknown
	}
	if c.State == WatchedNotFound || !c.Paid {
		return HasProblem
	}
	if c.Profile == nil {
		return concern
	}

	_, findings := verdict.Judge(verdict.OfProfile(c.Profile, today))
	for i := range findings {
		switch found := &findings[i]; {
		case found.IsBad():
			return HasProblem
		case found.Result == verdict.Unknown && found.ID != "statements": // which is unknown of many companies
			concern = HasUnknown
		}
	}

	return concern
}

type listWatchedInput struct {
	watchlistInput
	Limit  op.Limit  `arg:"limit" default:"100" doc:"Page size, 1 to 100."`
	Offset op.Offset `arg:"offset" default:"0" doc:"Items to skip."`
	// A list that is sorted by problems is read whole.
	ProblemsFirst op.Flag `arg:"problemsFirst" default:"false" doc:"true: companies with problems come first, then those with unknown facts; in watch-lists of at most 5,000 companies."`
}

// WatchedPage is a page of the companies of a watch-list.
type WatchedPage struct {
	Items        []WatchedCompany `json:"items" doc:"Sorted by tax id, or by their problems."`
	TotalCount   int              `json:"totalCount" doc:"Number of companies in the watch-list."`
	ProblemCount *int             `json:"problemCount" doc:"With problemsFirst: the number of companies with a problem (not found, not paid, or a rule of the level stop or attention fails today: see GET /v1/verdict-rules); null otherwise."`
}

// ListWatchedCompanies returns the operation list_watched_companies.
func ListWatchedCompanies(lists Watchlists) *op.Operation {
	return op.Define(op.Spec{
		Name: "list_watched_companies", Method: "GET", Path: "/v1/watchlists/{id}/companies", Tag: tag.Watching,
		Account: true,
		Title:   "List the companies in a watch-list",
		Description: "Companies in a watch-list, sorted by tax id or by their problems: the state of each, whether it " +
			"is registered for VAT and inactive, when it was last checked, when it is due next, and when it last " +
			"changed. Free.",
		Errors: []*problem.Kind{problem.NotFound},
	}, func(ctx context.Context, caller account.Caller, in listWatchedInput) (op.Answer[WatchedPage], error) {
		page, err := lists.Watched(ctx, caller.Account(), in.ID, int(in.Limit), int(in.Offset), bool(in.ProblemsFirst))
		return op.Answer[WatchedPage]{Value: page}, watchlistProblem(ctx, in.ID, err)
	})
}

type watchCompanyInput struct {
	ID        WatchlistID       `arg:"id" in:"path" default:"default" doc:"Id of the watch-list; default is the account's first, created if there is none." example:"default"`
	CUI       ro.CUI            `arg:"cui" in:"path" doc:"CUI of the company: digits only, without RO." example:"9900000010"`
	Reference company.Reference `arg:"reference" doc:"Your own text, such as a supplier number, repeated in the company's events. If omitted, the company keeps its reference." example:"SUP-001"`
}

// WatchCompany returns the operation watch_company.
func WatchCompany(lists Watchlists) *op.Operation {
	return op.DefineSale(op.Spec{
		Name: "watch_company", Method: "PUT", Path: "/v1/watchlists/{id}/companies/{cui}", Tag: tag.Watching,
		Account: true, Mutates: true, Tool: true,
		Success: http.StatusNoContent, Cost: 1,
		Title: "Watch a Romanian company for changes",
		Description: "Adds a company to a watch-list: from then on it is checked every day, and list_changes reports " +
			"changes: VAT, inactivity, insolvency, name, registered office and more. Use it when somebody wants to hear about " +
			"changes; for current data call get_company instead. Needs a key. Costs 1 credit per calendar month. " +
			"Watching it again changes only the reference. The first check is not a change. unwatch_company ends it.",
		Errors: []*problem.Kind{problem.NotFound},
	}, func(ctx context.Context, caller account.Caller, in watchCompanyInput,
		payment op.Payment) (op.Answer[struct{}], error) {
		order := WatchOrder{Companies: []WatchedReference{{in.CUI, string(in.Reference)}}}
		_, err := lists.Watch(ctx, caller.Account(), in.ID, order, payment)
		return op.Answer[struct{}]{}, watchlistProblem(ctx, in.ID, err)
	})
}

type unwatchCompanyInput struct {
	ID  WatchlistID `arg:"id" in:"path" default:"default" doc:"Id of the watch-list; default is the account's first." example:"default"`
	CUI ro.CUI      `arg:"cui" in:"path" doc:"CUI of the company: digits only, without RO." example:"9900000010"`
}

// UnwatchCompany returns the operation unwatch_company.
func UnwatchCompany(lists Watchlists) *op.Operation {
	return op.Define(op.Spec{
		Name: "unwatch_company", Method: "DELETE", Path: "/v1/watchlists/{id}/companies/{cui}", Tag: tag.Watching,
		Account: true, Mutates: true, Destructive: true, Tool: true,
		Success: http.StatusNoContent,
		Title:   "Stop watching a Romanian company",
		Description: "Removes a company from a watch-list, so that list_changes reports no new changes to it; past " +
			"events stay. Use it when somebody no longer wants to hear about a company added with watch_company. " +
			"Needs a key. Free. Removing a company that is not on the list is no error. The month stays paid.",
		Errors: []*problem.Kind{problem.NotFound},
	}, func(ctx context.Context, caller account.Caller, in unwatchCompanyInput) (op.Answer[struct{}], error) {
		return op.Answer[struct{}]{}, watchlistProblem(ctx, in.ID, lists.Unwatch(ctx, caller.Account(), in.ID, in.CUI))
	})
}
