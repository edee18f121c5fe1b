package api

// EventFilter chooses events; the zero value takes all.
type EventFilter struct {
	// Watchlist is the id of one of the account's watch-lists.
	Watchlist string
	Company   CUI
	// Kinds are those of which an event must have one.
	Kinds EventSet
}

// EventPage is a piece of a feed.
type EventPage struct {
	Events []Event
	// Next is the cursor of the last event; when there are no more, of the end of the feed.
	Next EventCursor
	// More reports that there are events after Next already.
	More bool
	// Expired reports that events after the given cursor have been deleted. The page is then empty.
	Expired bool
	// Oldest is the cursor after which all events are that are still kept.
	Oldest EventCursor
}
