package monitoring

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

type updateWatchlistInput struct {
	ID       WatchlistID         `arg:"id" in:"path" doc:"Id of the watch-list, as GET /v1/watchlists lists it; default is the account's first." example:"default"`
	Name     WatchlistName       `arg:"name" doc:"The name, 1 to 100 characters." example:"Suppliers"`
	Events   op.Array[EventKind] `arg:"events" doc:"The kinds of events to report from now on." example:"[\"company.vat.cancelled\", \"company.inactive.declared\"]"`
	Digest   Digest              `arg:"digest" doc:"How often to mail a summary of changes."`
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
