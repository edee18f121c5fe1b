package monitoring

import (
	"context"
	"net/http"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

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
