package api

import (
	"context"
	"net/http"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/problem"
)

func deleteWatchlist(lists Watchlists) *Operation {
	return Define(Spec{
		Name: "delete_watchlist", Method: "DELETE", Path: "/v1/watchlists/{id}", Tag: "Watching", Account: true, Mutates: true, Destructive: true,
		Success:     http.StatusNoContent,
		Title:       "Delete a watch-list",
		Description: "Deletes a watch-list with its companies, its feeds, and the events that it was told of. Free. What was paid for the month stays paid: whoever adds a company again in the same month is not charged twice.",
		Errors:      []*problem.Kind{problem.NotFound},
	}, func(ctx context.Context, caller account.Caller, in watchlistInput) (Answer[struct{}], error) {
		return Answer[struct{}]{}, watchlistProblem(ctx, in.ID, lists.DeleteWatchlist(ctx, caller.Account(), in.ID))
	})
}
