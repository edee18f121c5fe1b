package watch

import (
	"encoding/base32"
	"encoding/binary"
	"strings"
	"time"

	"github.com/rodata/rodata/api"
)

// Event is an event as it is written. As JSON it is the column document of the table events.
type Event struct {
	// Company is zero for an event that is not of a company.
	Company api.CUI `json:"-"`
	// At is when the gateway learned of it.
	At       time.Time          `json:"-"`
	Type     api.EventKind      `json:"type"`
	Name     *string            `json:"name,omitempty"`
	Changes  []api.EventChange  `json:"changes,omitempty"`
	Severity api.Severity       `json:"severity"`
	Observed *api.EventObserved `json:"observed,omitempty"`
	Source   api.EventSource    `json:"source"`
}

// Kinds are the kinds of the event and of all its changes: it goes to those who want one of them.
func (e *Event) Kinds() api.EventSet {
	kinds := api.SetOf(e.Type)
	for i := range e.Changes {
		kinds |= api.SetOf(e.Changes[i].Type)
	}
	return kinds
}

// Place is where an event is in a feed.
type Place struct {
	Feed         uint32 // see api.FeedOf
	Number, List int64
	// Watchlist is the id of the list, nil for none, and Reference what the list calls the company.
	Watchlist, Reference *string
}

// Cursor is the place as callers see it.
func (p Place) Cursor() api.EventCursor {
	return api.EventCursor{Feed: p.Feed, Number: p.Number, List: p.List}
}

// In is the event as it is told at a place in a feed.
func (e *Event) In(p Place) api.Event {
	told := api.Event{
		ID: EventID(p.Number, p.List), Type: e.Type, Timestamp: e.At.UTC().Truncate(time.Second), Cursor: p.Cursor(),
		Data: api.EventData{
			Name: e.Name, Reference: p.Reference, Watchlist: p.Watchlist, Changes: e.Changes, Severity: e.Severity,
			Observed: e.Observed, Source: e.Source,
		},
	}
	if e.Company != 0 {
		told.Data.TaxID = &e.Company
	}
	if told.Data.Changes == nil {
		told.Data.Changes = []api.EventChange{}
	}
	return told
}

var idEncoding = base32.HexEncoding.WithPadding(base32.NoPadding)

// EventID names an event in a watch-list, or with the list 0 outside of any. It is the same in every delivery. Ids of
// later events compare greater.
func EventID(number, list int64) string {
	b := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(number)), uint64(list))
	return "evt_" + strings.ToLower(idEncoding.EncodeToString(b))
}

// ParseEventID is the number and the list of an event by its id; false for what is no id.
func ParseEventID(id string) (number, list int64, ok bool) {
	text, ok := strings.CutPrefix(id, "evt_")
	b, err := idEncoding.DecodeString(strings.ToUpper(text))
	if !ok || err != nil || len(b) != 16 || EventID(int64(binary.BigEndian.Uint64(b)), int64(binary.BigEndian.Uint64(b[8:]))) != id {
		return 0, 0, false
	}
	return int64(binary.BigEndian.Uint64(b)), int64(binary.BigEndian.Uint64(b[8:])), true
}
