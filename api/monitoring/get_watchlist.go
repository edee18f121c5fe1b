package monitoring

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// watchlistInput names a watch-list.
type watchlistInput struct {
	ID WatchlistID `arg:"id" in:"path" doc:"Id of the watch-list, as GET /v1/watchlists lists it; default is the account's first." example:"default"`
}

// GetWatchlist returns the operation get_watchlist.
func GetWatchlist(lists Watchlists) *op.Operation {
	return op.Define(op.Spec{
		Name: "get_watchlist", Method: "GET", Path: "/v1/watchlists/{id}", Tag: tag.Watching, Account: true,
		Title:       "Get a watch-list",
		Description: "The settings of a watch-list, how many companies it has, and the URLs of its feeds. Free.",
		Errors:      []*problem.Kind{problem.NotFound},
	}, func(ctx context.Context, caller account.Caller, in watchlistInput) (op.Answer[*Watchlist], error) {
		list, err := lists.Watchlist(ctx, caller.Account(), in.ID)
		return op.Answer[*Watchlist]{Value: list}, watchlistProblem(ctx, in.ID, err)
	})
}
