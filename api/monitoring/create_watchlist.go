package monitoring

import (
	"cmp"
	"context"
	"net/http"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
)

type createWatchlistInput struct {
	Name     WatchlistName       `arg:"name" required:"true" doc:"The watch-list's name, 1 to 100 characters." example:"Suppliers"`
	Events   op.Array[EventKind] `arg:"events" doc:"Kinds of events to report; by default all kinds about companies, except changes of the telephone number." example:"[\"company.vat.cancelled\", \"company.inactive.declared\"]"`
	Digest   Digest              `arg:"digest" doc:"How often an e-mail summarizes the changes; default none."`
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
			Name: string(in.Name), Events: in.Events, Digest: cmp.Or(in.Digest, NoDigest),
			Language: cmp.Or(in.Language, BothLanguages), Every: cmp.Or(in.Every, EveryDay),
			Key: caller.KeyID(),
		})
		return op.Answer[*Watchlist]{Value: list}, watchlistProblem(ctx, "", err)
	})
}
