package watch

import (
	"cmp"
	"strconv"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/ro"
)

// Entry is the part of a company's entry in the trade register that is compared between releases. Empty values are
// unknown.
type Entry struct {
	Name     string                    `json:"name,omitempty"`
	Seat     string                    `json:"seat,omitempty"`
	Activity string                    `json:"activity,omitempty"`
	State    company.StateRegistration `json:"state,omitempty"`
	// Statement is the newest year for which the company filed a statement. It is 0 if there is none.
	Statement int `json:"statement,omitempty"`
	// SeatExpired reports whether the right to use the registered office has expired.
	SeatExpired *bool `json:"seatExpired,omitempty"`
}

// seatKind holds the kinds of events for the end and the renewal of the right to the registered office.
var seatKind = statusKind{monitoring.SeatExpired, monitoring.SeatRenewed}

// CompareEntries returns the event for the changes between a company's entries in two releases, and reports whether
// there were any. Release is the day of the newer release. At is the time at which the gateway learned of it.
func CompareEntries(c ro.CUI, before, after Entry, release ro.Date, at time.Time) (Event, bool) {
	changes := Changes(before.view(), after.view(), LookSummary{})
	if after.Statement > before.Statement {
		filed := monitoring.EventChange{Type: monitoring.StatementFiled, Field: "balanceSheets",
			After: &company.FactValue{Text: strconv.Itoa(after.Statement)}}
		if before.Statement != 0 {
			filed.Before = &company.FactValue{Text: strconv.Itoa(before.Statement)}
		}

		changes = append(changes, filed)
	}

	if seat, changed := seatKind.change("seatExpired", before.SeatExpired, after.SeatExpired); changed {
		changes = append(changes, seat)
	}

	if len(changes) == 0 {
		return Event{}, false
	}

	e := eventOf(changes)
	e.Company, e.At, e.Source = c, at, monitoring.EventSource{Name: "onrc", AsOf: &release}
	if after.Name != "" {
		e.Name = &after.Name
	}

	return e, true
}

func (e Entry) view() *history.View {
	return &history.View{Identity: []history.Field{
		{Name: "name", Value: e.Name}, {Name: "seat", Value: e.Seat}, {Name: "mainNaceCode", Value: e.Activity},
		{Name: "stateRegistration", Value: string(e.State)},
	}}
}

// FilledFrom returns the entry with its empty values filled in from an older one.
func (e Entry) FilledFrom(older Entry) Entry {
	if e.Name == "" {
		e.Name = older.Name
	}
	if e.Seat == "" {
		e.Seat = older.Seat
	}
	if e.Activity == "" {
		e.Activity = older.Activity
	}
	if e.State == "" || e.State == company.UnknownState {
		e.State = older.State
	}

	e.Statement, e.SeatExpired = max(e.Statement, older.Statement), cmp.Or(e.SeatExpired, older.SeatExpired)
	return e
}
