package mcp

import (
	"context"

	"github.com/rodata/rodata/api"
)

// fakeWatchlists has one watch-list, and charges each time, so that both channels are charged alike.
type fakeWatchlists struct{ unused }

// unused are the methods that no tool needs.
type unused interface{ api.Watchlists }

func (fakeWatchlists) Watch(ctx context.Context, _ string, id api.WatchlistID, _ api.WatchOrder, payment api.Payment) (api.WatchOutcome, error) {
	if id != api.DefaultWatchlist {
		return api.WatchOutcome{}, api.ErrUnknown
	}
	if err := payment.Reserve(ctx, 1); err != nil {
		return api.WatchOutcome{}, err
	}
	return api.WatchOutcome{Changes: []api.WatchChange{api.WatchAdded}}, payment.Charge(ctx)
}

func (fakeWatchlists) Unwatch(_ context.Context, _ string, id api.WatchlistID, _ api.CUI) error {
	if id != api.DefaultWatchlist {
		return api.ErrUnknown
	}
	return nil
}
