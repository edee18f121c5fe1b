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

type createWatchlistInput struct {
	Name     WatchlistName       `arg:"name" required:"true" doc:"The watch-list's name, 1 to 100 characters." example:"Suppliers"`
	Events   op.Array[EventKind] `arg:"events" doc:"Kinds of events to report; by default all kinds about companies, except changes of the telephone number and of the right to the registered office, and absent statements." example:"[\"company.vat.cancelled\", \"company.inactive.declared\"]"`
	Digest   Digest              `arg:"digest" doc:"How often an e-mail to the confirmed address summarizes the changes; default weekly, or none in an account without an address, where another value is kept but nothing is mailed."`
	Language DigestLanguage      `arg:"language" doc:"Language of the digests: ro, en, or both in one e-mail; default both."`
	Every    Every               `arg:"every" doc:"How often its companies are checked; default day."`
}

// CreateWatchlist returns the operation create_watchlist.
func CreateWatchlist(lists Watchlists) *op.Operation {
	return op.Define(op.Spec{
		Name: "create_watchlist", Method: "POST", Path: "/v1/watchlists", Tag: tag.Watching, Account: true,
		Success: http.StatusCreated, Mutates: true,
		Title: "Create a watch-list",
		Description: "Creates a list of companies whose changes are reported to the account. Free; each company in " +
			"it costs 1 credit per calendar month. " +
			"An account that needs only one list can skip this: the watch-list default is created with the first " +
			"company.",
	}, func(ctx context.Context, caller account.Caller, in createWatchlistInput) (op.Answer[*Watchlist], error) {
		list, err := lists.CreateWatchlist(ctx, caller.Account(), WatchlistChange{
			Name: string(in.Name), Events: in.Events, Digest: in.Digest, Language: in.Language, Every: in.Every,
			Key: caller.KeyID(),
		})
		return op.Answer[*Watchlist]{Value: list}, watchlistProblem(ctx, "", err)
	})
}

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

type updateWatchlistInput struct {
	watchlistInput
	Name     WatchlistName       `arg:"name" doc:"The name, 1 to 100 characters." example:"Suppliers"`
	Events   op.Array[EventKind] `arg:"events" doc:"The kinds of events to report from now on." example:"[\"company.vat.cancelled\", \"company.inactive.declared\"]"`
	Digest   Digest              `arg:"digest" doc:"How often to mail a summary of changes to the confirmed address."`
	Language DigestLanguage      `arg:"language" doc:"Language of the digests: ro, en, or both in one mail."`
	Every    Every               `arg:"every" doc:"How often its companies are checked."`
	Rotate   op.Flag             `arg:"rotateFeeds" doc:"true gives its feeds new addresses and shows them in this answer; the old ones stop working."`
}

// UpdateWatchlist returns the operation update_watchlist.
func UpdateWatchlist(lists Watchlists) *op.Operation {
	return op.Define(op.Spec{
		Name: "update_watchlist", Method: "PATCH", Path: "/v1/watchlists/{id}", Tag: tag.Watching, Account: true,
		Mutates:     true,
		Title:       "Update a watch-list",
		Description: "Changes only the settings that are sent. Free.",
		Errors:      []*problem.Kind{problem.NotFound},
	}, func(ctx context.Context, caller account.Caller, in updateWatchlistInput) (op.Answer[*Watchlist], error) {
		list, err := lists.ChangeWatchlist(ctx, caller.Account(), in.ID, WatchlistChange{
			Name: string(in.Name), Events: in.Events, Digest: in.Digest, Language: in.Language, Every: in.Every,
			RotateFeeds: bool(in.Rotate), Key: caller.KeyID(),
		})
		return op.Answer[*Watchlist]{Value: list}, watchlistProblem(ctx, in.ID, err)
	})
}

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
