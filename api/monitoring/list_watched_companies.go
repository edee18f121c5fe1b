package monitoring

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

type listWatchedInput struct {
	ID     WatchlistID `arg:"id" in:"path" doc:"Id of the watch-list, as GET /v1/watchlists lists it; default is the account's first." example:"default"`
	Limit  op.Limit    `arg:"limit" default:"100" doc:"Page size, 1 to 100."`
	Offset op.Offset   `arg:"offset" default:"0" doc:"Items to skip."`
	// A list that is sorted by problems is read whole.
	ProblemsFirst op.Flag `arg:"problemsFirst" default:"false" doc:"true: companies with problems come first, then those with unknown facts; in watch-lists of at most 5,000 companies."`
}

// WatchedPage is a page of the companies of a watch-list.
type WatchedPage struct {
	Items        []WatchedCompany `json:"items" doc:"Sorted by tax id, or by their problems."`
	TotalCount   int              `json:"totalCount" doc:"Number of companies in the watch-list."`
	ProblemCount *int             `json:"problemCount" doc:"With problemsFirst: the number of companies with a problem (not found, not paid, inactive, a VAT registration that has ended, or a stateRegistration other than in_operation); null otherwise."`
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
