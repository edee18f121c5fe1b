package mcp

import (
	"context"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// fakeWatchlists has one watch-list. It charges every call, even a repeated one, so that both channels pay the same.
type fakeWatchlists struct{ unused }

// unused contains the methods that no tool calls.
type unused interface{ api.Watchlists }

func (fakeWatchlists) Watch(ctx context.Context, _ string, id api.WatchlistID, _ api.WatchOrder,
	payment op.Payment) (api.WatchOutcome, error) {
	if id != api.DefaultWatchlist {
		return api.WatchOutcome{}, op.ErrUnknown
	}
	if err := payment.Reserve(ctx, 1); err != nil {
		return api.WatchOutcome{}, err
	}
	return api.WatchOutcome{Changes: []api.WatchChange{api.WatchAdded}}, payment.Charge(ctx)
}

func (fakeWatchlists) Unwatch(_ context.Context, _ string, id api.WatchlistID, _ ro.CUI) error {
	if id != api.DefaultWatchlist {
		return op.ErrUnknown
	}
	return nil
}

func (fakeWatchlists) Watchlist(_ context.Context, _ string, id api.WatchlistID) (*api.Watchlist, error) {
	if id != api.DefaultWatchlist {
		return nil, op.ErrUnknown
	}
	return &api.Watchlist{ID: "wl_abcdefghijklmnopqrstuvwxyz"}, nil
}

// fakeEvents has as many events as requested.
type fakeEvents struct{ api.Events }

func (fakeEvents) Feed(_ context.Context, account string, _ api.EventCursor, _ api.EventFilter,
	limit int) (api.EventPage, error) {
	var p api.EventPage
	for n := range limit {
		p.Next = api.EventCursor{Feed: api.FeedOf(account), Number: int64(n + 1), List: 1}
		cui, reference, list := example, "SUP-001", "wl_abcdefghijklmnopqrstuvwxyz"
		p.Events = append(p.Events, api.Event{
			ID: "evt_0000000000000000000000000", Type: api.VATCancelled, Cursor: p.Next,
			Data: api.EventData{
				TaxID: &cui, Name: &reference, Reference: &reference, Watchlist: &list, Severity: api.High,
				Changes: []api.EventChange{{Type: api.VATCancelled, Field: "vatPayer",
					Before: &company.FactValue{Bool: new(true)}, After: &company.FactValue{Bool: new(false)}}},
				Source: api.EventSource{Name: "anaf"},
			},
		})
	}

	return p, nil
}

func (fakeWatchlists) Watched(context.Context, string, api.WatchlistID, int, int, bool) (api.WatchedPage, error) {
	return api.WatchedPage{Items: []api.WatchedCompany{}}, nil
}
