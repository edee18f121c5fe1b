package mcp

import (
	"context"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/ro"
)

// Changes is the source of subscription updates: the events of accounts' watch-lists.
type Changes interface {
	// Watches reports whether one of the account's watch-lists contains the company.
	Watches(ctx context.Context, account string, company ro.CUI) (bool, error)
	// WatchlistID returns the id of the account's watch-list with a given name, which may be "default"; empty if there
	// is none.
	WatchlistID(ctx context.Context, account, named string) (string, error)
	// Now returns the end of the account's feed.
	Now(ctx context.Context, account string) (monitoring.EventCursor, error)
	// Feed returns up to limit of the account's events after a cursor, in order.
	Feed(ctx context.Context, account string, after monitoring.EventCursor, f monitoring.EventFilter,
		limit int) (monitoring.EventPage, error)
	// Wait returns a channel that is closed when there may be new events.
	Wait() <-chan struct{}
}
