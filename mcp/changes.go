package mcp

import (
	"context"

	"github.com/rodata/rodata/api"
)

// Changes is what subscriptions are told of: the events of accounts' watch-lists.
type Changes interface {
	// Watches reports whether one of the account's watch-lists has the company.
	Watches(ctx context.Context, account string, company api.CUI) (bool, error)
	// WatchlistID returns the id of the account's watch-list that a caller named, which may be "default"; empty when
	// there is none.
	WatchlistID(ctx context.Context, account, named string) (string, error)
	// Now is the end of the account's feed.
	Now(ctx context.Context, account string) (api.EventCursor, error)
	// Feed returns the account's events after a cursor, in order, at most as many as the limit says.
	Feed(ctx context.Context, account string, after api.EventCursor, f api.EventFilter, limit int) (api.EventPage, error)
	// Wait returns a channel that is closed when there may be new events.
	Wait() <-chan struct{}
}
