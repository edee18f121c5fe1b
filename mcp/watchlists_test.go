package mcp

import (
	"context"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// fakeWatchlists has one watch-list. It charges every call, even a repeated one, so that both channels pay the same.
type fakeWatchlists struct{ unused }

// unused contains the methods that no tool calls.
type unused interface{ monitoring.Watchlists }

func (fakeWatchlists) Watch(ctx context.Context, _ string, id monitoring.WatchlistID, _ monitoring.WatchOrder,
	payment op.Payment) (monitoring.WatchOutcome, error) {
	if id != monitoring.DefaultWatchlist {
		return monitoring.WatchOutcome{}, op.ErrUnknown
	}
	if err := payment.Reserve(ctx, 1); err != nil {
		return monitoring.WatchOutcome{}, err
	}
	return monitoring.WatchOutcome{Changes: []monitoring.WatchChange{monitoring.WatchAdded}}, payment.Charge(ctx)
}

func (fakeWatchlists) Unwatch(_ context.Context, _ string, id monitoring.WatchlistID, _ ro.CUI) error {
	if id != monitoring.DefaultWatchlist {
		return op.ErrUnknown
	}
	return nil
}

func (fakeWatchlists) Watchlist(_ context.Context, _ string, id monitoring.WatchlistID) (*monitoring.Watchlist, error) {
	if id != monitoring.DefaultWatchlist {
		return nil, op.ErrUnknown
	}
	return &monitoring.Watchlist{ID: "wl_abcdefghijklmnopqrstuvwxyz"}, nil
}

// fakeEvents has as many events as requested.
type fakeEvents struct{ monitoring.Events }

func (fakeEvents) Feed(_ context.Context, account string, _ monitoring.EventCursor, _ monitoring.EventFilter,
	limit int) (monitoring.EventPage, error) {
	var p monitoring.EventPage
	for n := range limit {
		p.Next = monitoring.EventCursor{Feed: monitoring.FeedOf(account), Number: int64(n + 1), List: 1}
		cui, reference, list := example, "SUP-001", "wl_abcdefghijklmnopqrstuvwxyz"
		p.Events = append(p.Events, monitoring.Event{
			ID: "evt_0000000000000000000000000", Type: monitoring.VATCancelled, Cursor: p.Next,
			Data: monitoring.EventData{
				TaxID: &cui, Name: &reference, Reference: &reference, Watchlist: &list, Severity: monitoring.High,
				Changes: []monitoring.EventChange{{Type: monitoring.VATCancelled, Field: "vatPayer",
					Before: &company.FactValue{Bool: new(true)}, After: &company.FactValue{Bool: new(false)}}},
				Source: monitoring.EventSource{Name: "anaf"},
			},
		})
	}

	return p, nil
}

func (fakeWatchlists) Watched(context.Context, string, monitoring.WatchlistID, int, int, bool) (monitoring.WatchedPage,
	error) {
	return monitoring.WatchedPage{Items: []monitoring.WatchedCompany{}}, nil
}
