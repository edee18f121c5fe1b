package monitoring

import (
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"
	"time"

	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// EventCursor is a position in a feed of events. It is opaque to callers; cursors of later events compare greater.
type EventCursor struct {
	// Feed identifies the feed of an account or the feed of all changes: see [FeedOf].
	Feed uint32
	// Number is the event number. Event numbers increase in commit order.
	Number int64
	// List is the ordinal of the watch-list. An account's feed repeats an event for each watch-list that contains the
	// company. List is 0 in the feed of all changes.
	List int64
}

// FeedOf identifies the feed of an account, or the feed of all changes for the empty account.
func FeedOf(account string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte("feed " + account))
	return h.Sum32()
}

const cursorBytes = 4 + 8 + 8

// MarshalText encodes the cursor as opaque text.
func (c EventCursor) MarshalText() ([]byte, error) {
	b := binary.BigEndian.AppendUint32(make([]byte, 0, cursorBytes), c.Feed)
	b = binary.BigEndian.AppendUint64(b, uint64(c.Number))
	b = binary.BigEndian.AppendUint64(b, uint64(c.List))
	return base64.RawURLEncoding.AppendEncode(nil, b), nil
}

// UnmarshalText decodes the output of MarshalText.
func (c *EventCursor) UnmarshalText(text []byte) error {
	b, err := base64.RawURLEncoding.AppendDecode(nil, text)
	if err != nil || len(b) != cursorBytes || int64(binary.BigEndian.Uint64(b[4:])) < 0 {
		return &problem.InputError{Code: problem.InvalidFormat,
			Accepted: "an unchanged cursor or nextCursor of this feed; leave it out to begin with the oldest event"}
	}

	c.Feed = binary.BigEndian.Uint32(b)
	c.Number = int64(binary.BigEndian.Uint64(b[4:]))
	c.List = int64(binary.BigEndian.Uint64(b[12:]))
	return nil
}

// Schema describes the format of a cursor.
func (EventCursor) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: "^[A-Za-z0-9_-]{27}$"}
}

// EventRetention is how long events can be read. An older cursor is rejected, so that the reader learns that events
// are missing.
const EventRetention = 90 * 24 * time.Hour

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
