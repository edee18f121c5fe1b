package monitoring

import "github.com/rodata/rodata/ro"

// EventFilter selects events; the zero value selects all.
type EventFilter struct {
	// Watchlist is the id of one of the account's watch-lists.
	Watchlist string
	Company   ro.CUI
	// Kinds are the selected kinds. An event must have one of them.
	Kinds EventSet
}

// EventPage is a page of a feed.
type EventPage struct {
	Events []Event
	// Next is the cursor of the last event or, if there are no more, of the end of the feed.
	Next EventCursor
	// More reports that events after Next already exist.
	More bool
	// Expired reports that events after the given cursor have been deleted. The page is then empty.
	Expired bool
	// Oldest is the oldest valid cursor: no event after it has been deleted.
	Oldest EventCursor
}
