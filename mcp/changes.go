package mcp

import (
	"context"

	"github.com/rodata/rodata/api"
)

// Changes is what subscriptions are told of: the events of accounts' watch-lists.
type Changes interface {
	// Watches reports whether one of the account's watch-lists has the company.
	Watches(ctx context.Context, account string, company api.CUI) (bool, error)
	// Watchlist returns the id of the account's watch-list that a caller named, which may be "default"; empty when
	// there is none.
	Watchlist(ctx context.Context, account, named string) (id string, err error)
	// Newest is the place of the account's newest event.
	Newest(ctx context.Context, account string) (api.EventCursor, error)
	// After returns the next of the account's events behind a place, in order, at most as many as the limit says.
	After(ctx context.Context, account string, place api.EventCursor, limit int) ([]Change, error)
	// Wait returns a channel that is closed when there may be new events.
	Wait() <-chan struct{}
}

// Change is an event, as far as subscriptions are concerned.
type Change struct {
	Place api.EventCursor
	// Company is 0 for an event that is not of a company.
	Company api.CUI
	// Watchlist is empty for an event that is not of a watch-list.
	Watchlist string
}
