package monitoring

import (
	"context"
	"net/http"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

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
			"changes: VAT, inactivity, insolvency, name, seat and more. Use it when somebody wants to hear about " +
			"changes; for current data call get_company instead. Needs a key. Costs 1 credit per calendar month. " +
			"Watching it again changes only the reference. The first check is not a change. unwatch_company ends it.",
		Errors: []*problem.Kind{problem.NotFound, problem.QuotaExhausted},
	}, func(ctx context.Context, caller account.Caller, in watchCompanyInput,
		payment op.Payment) (op.Answer[struct{}], error) {
		order := WatchOrder{Companies: []WatchedReference{{in.CUI, string(in.Reference)}}}
		_, err := lists.Watch(ctx, caller.Account(), in.ID, order, payment)
		return op.Answer[struct{}]{}, watchlistProblem(ctx, in.ID, err)
	})
}
