package monitoring

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
)

// ListWatchlists returns the operation list_watchlists.
func ListWatchlists(lists Watchlists) *op.Operation {
	return op.Define(op.Spec{
		Name: "list_watchlists", Method: "GET", Path: "/v1/watchlists", Tag: tag.Watching, Account: true,
		Title:       "List watch-lists",
		Description: "Watch-lists of the caller's account, oldest first. Free.",
	}, func(ctx context.Context, caller account.Caller, _ struct{}) (op.Answer[[]Watchlist], error) {
		all, err := lists.Watchlists(ctx, caller.Account())
		return op.Answer[[]Watchlist]{Value: all}, watchlistProblem(ctx, "", err)
	})
}
