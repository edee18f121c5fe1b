package watch

import (
	"encoding/base32"
	"encoding/binary"
	"strings"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/ro"
)

// Event is a stored event. Its JSON is stored in the column document of the table events.
type Event struct {
	// Company is zero for an event that is not about a company.
	Company ro.CUI `json:"-"`
	// At is the time at which the gateway learned of the change.
	At       time.Time                 `json:"-"`
	Type     monitoring.EventKind      `json:"type"`
	Name     *string                   `json:"name,omitempty"`
	Changes  []monitoring.EventChange  `json:"changes,omitempty"`
	Severity monitoring.Severity       `json:"severity"`
	Observed *monitoring.EventObserved `json:"observed,omitempty"`
	Source   monitoring.EventSource    `json:"source"`
	// Job is set for events about a job.
	Job *monitoring.EventJob `json:"job,omitempty"`
	// Statement is set for events about an absent statement.
	Statement *monitoring.EventStatement `json:"statement,omitempty"`
}

// Kinds returns the kinds of the event and of all its changes. A subscriber to any of these kinds receives the event.
func (e *Event) Kinds() monitoring.EventSet {
	kinds := monitoring.SetOf(e.Type)
	for i := range e.Changes {
		kinds |= monitoring.SetOf(e.Changes[i].Type)
	}
	return kinds
}

// Position is the position of an event in a feed.
type Position struct {
	Feed         uint32 // see monitoring.FeedOf
	Number, List int64
	// Watchlist is the id of the watch-list; nil if the event belongs to no watch-list. Reference is the account's own
	// name for the company.
	Watchlist, Reference *string
}

// Cursor returns the position as the cursor that callers see.
func (p Position) Cursor() monitoring.EventCursor {
	return monitoring.EventCursor{Feed: p.Feed, Number: p.Number, List: p.List}
}

// In returns the event as the API shows it at a position in a feed.
func (e *Event) In(p Position) monitoring.Event {
	event := monitoring.Event{
		ID: EventID(p.Number, p.List), Type: e.Type, Timestamp: e.At.UTC().Truncate(time.Second), Cursor: p.Cursor(),
		Data: monitoring.EventData{
			Name: e.Name, Reference: p.Reference, Watchlist: p.Watchlist, Changes: e.Changes, Severity: e.Severity,
			Observed: e.Observed, Source: e.Source, Job: e.Job,
			Statement: e.Statement,
		},
	}
	if e.Company != 0 {
		event.Data.TaxID = &e.Company
	}
	if event.Data.Changes == nil {
		event.Data.Changes = []monitoring.EventChange{}
	}

	return event
}

var idEncoding = base32.HexEncoding.WithPadding(base32.NoPadding)

// EventID returns the id of an event in a watch-list; list is 0 if the event belongs to none. The id is the same in
// every delivery. Ids sort in the order in which the events occurred.
func EventID(number, list int64) string {
	b := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(number)), uint64(list))
	return "evt_" + strings.ToLower(idEncoding.EncodeToString(b))
}

// ParseEventID returns the event number and the watch-list of an event id. It returns false if the id is malformed.
func ParseEventID(id string) (number, list int64, ok bool) {
	text, ok := strings.CutPrefix(id, "evt_")
	b, err := idEncoding.DecodeString(strings.ToUpper(text))
	if !ok || err != nil || len(b) != 16 {
		return 0, 0, false
	}

	number, list = int64(binary.BigEndian.Uint64(b)), int64(binary.BigEndian.Uint64(b[8:]))
	return number, list, EventID(number, list) == id
}
