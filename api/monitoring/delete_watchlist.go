package monitoring

import (
	"context"
	"fmt"
	"net/http"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

type deleteWatchlistInput struct {
	ID WatchlistID `arg:"id" in:"path" doc:"Id of the watch-list, as GET /v1/watchlists lists it; not default, which would mean another list if repeated." example:"wl_bdkbzsbsywk247o7hn3p7umhsu"`
}

// DeleteWatchlist returns the operation delete_watchlist.
func DeleteWatchlist(lists Watchlists) *op.Operation {
	return op.Define(op.Spec{
		Name: "delete_watchlist", Method: "DELETE", Path: "/v1/watchlists/{id}", Tag: tag.Watching, Account: true,
		Mutates: true, Destructive: true, Success: http.StatusNoContent,
		Title: "Delete a watch-list",
		Description: "Deletes a watch-list with its companies, feeds and events. Free. The month remains paid: " +
			"re-adding a company in the same month costs nothing.",
		Errors: []*problem.Kind{problem.NotFound},
	}, func(ctx context.Context, caller account.Caller, in deleteWatchlistInput) (op.Answer[struct{}], error) {
		if in.ID == DefaultWatchlist {
			return op.Answer[struct{}]{}, ambiguousDefault(ctx, lists, caller.Account())
		}
		return op.Answer[struct{}]{}, watchlistProblem(ctx, in.ID, lists.DeleteWatchlist(ctx, caller.Account(), in.ID))
	})
}

// ambiguousDefault is the problem of a call to delete the watch-list "default". After the deletion, this name refers to
// the next list, so a retry would delete that list too.
func ambiguousDefault(ctx context.Context, lists Watchlists, account string) error {
	first, err := lists.Watchlist(ctx, account, DefaultWatchlist)
	if err != nil {
		return watchlistProblem(ctx, DefaultWatchlist, err)
	}
	return problem.Invalid(&problem.InputError{Parameter: "id", Code: problem.InvalidFormat,
		Received: problem.Excerpt(string(DefaultWatchlist)),
		Accepted: "the id of a watch-list: wl_ and 26 letters a to z and digits 2 to 7",
		Reason: fmt.Sprintf("default means the account's first watch-list, so after this call it would mean "+
			"another; send the id itself, which is %s", first.ID)})
}
