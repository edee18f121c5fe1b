package watch

import (
	"testing"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/monitoring"
)

func TestEntriesOfTheTradeRegister(t *testing.T) {
	before := Entry{Name: "EXEMPLU SRL", Seat: "jud. Brașov, Brașov, Str. Lungă, nr. 5", Activity: "6201",
		State: company.InOperation, Statement: 2024, SeatExpired: new(false)}
	for name, c := range map[string]struct {
		change func(*Entry)
		want   string
	}{
		"nothing": {func(*Entry) {}, ""},
		"spelling": {func(e *Entry) {
			e.Name, e.Seat = "EXEMPLU S.R.L.", "Jud. Braşov, Braşov, Lungă, nr. 5, Str."
		}, ""},
		"left out": {func(e *Entry) { *e = Entry{} }, ""},
		"name": {func(e *Entry) {
			e.Name = "ALTUL SRL"
		}, "medium company.name.changed; name EXEMPLU SRL -> ALTUL SRL"},
		"insolvent": {func(e *Entry) {
			e.State = company.Insolvent
		}, "high company.state.changed; stateRegistration in_operation -> insolvent"},
		"activity": {func(e *Entry) {
			e.Activity = "0111"
		}, "low company.activity.changed; mainNaceCode 6201 -> 0111"},
		"statement": {func(e *Entry) { e.Statement = 2025 }, "low company.statement.filed; balanceSheets 2024 -> 2025"},
		"statement and state": {func(e *Entry) { e.Statement, e.State = 2025, company.StruckOff },
			"high company.state.changed; stateRegistration in_operation -> struck_off; balanceSheets 2024 -> 2025"},
		"seat expired": {func(e *Entry) {
			e.SeatExpired = new(true)
		}, "medium company.seat.expired; seatExpired false -> true"},
		// Watch-lists that do not name the seat's kinds get this event too.
		"seat expired and activity": {func(e *Entry) { e.SeatExpired, e.Activity = new(true), "0111" },
			"low company.activity.changed; mainNaceCode 6201 -> 0111; seatExpired false -> true"},
	} {
		after := before
		c.change(&after)
		e, ok := CompareEntries(9900000010, before, after, 739000, time.Time{})
		if got := line(e, ok); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if ok && (e.Company != 9900000010 || e.Source.Name != "onrc" || *e.Source.AsOf != 739000 || e.Observed != nil) {
			t.Errorf("%s: %+v", name, e)
		}
	}

	if got := (Entry{}).FilledFrom(before); got != before {
		t.Errorf("a value that a release omits was forgotten: %+v", got)
	}

	newer := Entry{Name: "B", Seat: "C", Activity: "1", State: company.StruckOff, Statement: 2026,
		SeatExpired: new(true)}
	if got := newer.FilledFrom(before); got != newer {
		t.Errorf("a value of the newer release was replaced: %+v", got)
	}
}

// An event needs two known values: the right to the registered office has expired, or counts as valid again.
func TestRightToTheSeatBetweenReleases(t *testing.T) {
	expired, valid := new(true), new(false)
	for name, c := range map[string]struct {
		before, after *bool
		want          string
	}{
		"expires":       {valid, expired, "medium company.seat.expired; seatExpired false -> true"},
		"is renewed":    {expired, valid, "low company.seat.renewed; seatExpired true -> false"},
		"still expired": {expired, new(true), ""},
		"still valid":   {valid, new(false), ""},
		"was unknown":   {nil, expired, ""},
		"is unknown":    {expired, nil, ""},
	} {
		before, after := Entry{SeatExpired: c.before}, Entry{SeatExpired: c.after}
		if got := line(CompareEntries(9900000010, before, after, 739000, time.Time{})); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Users who watch a company get an event when it enters insolvency proceedings, when it moves from one kind to another,
// and when it leaves them.
func TestProceedingsBetweenReleases(t *testing.T) {
	for _, c := range []struct {
		before, after company.StateRegistration
		want          monitoring.Severity // "" for no event
	}{
		{company.InOperation, company.Insolvent, monitoring.High},
		{company.InOperation, company.InReorganization, monitoring.High},
		{company.Insolvent, company.Bankrupt, monitoring.High},
		{company.InReorganization, company.Bankrupt, monitoring.High},
		{company.Bankrupt, company.StruckOff, monitoring.High},
		{company.Dissolved, company.Insolvent, monitoring.High},
		{company.InOperation, company.Dissolved, monitoring.Low},
		{company.Dissolved, company.InLiquidation, monitoring.Low},
		{company.InLiquidation, company.StruckOff, monitoring.High},
		{company.Insolvent, company.InOperation, monitoring.Low},
		{company.InReorganization, company.InOperation, monitoring.Low},
		{company.Dissolved, company.InOperation, monitoring.Low},
		{company.StruckOff, company.InOperation, monitoring.Low},
		{company.InOperation, company.Suspended, monitoring.Low},
		{company.Suspended, company.InOperation, monitoring.Low},
		{company.Insolvent, company.Insolvent, ""},
		{company.Insolvent, company.UnknownState, ""},
		{company.UnknownState, company.Insolvent, ""},
	} {
		before, after := Entry{Name: "EXEMPLU SRL", State: c.before}, Entry{Name: "EXEMPLU SRL", State: c.after}
		e, ok := CompareEntries(9900000010, before, after, 739000, time.Time{})
		if ok != (c.want != "") || ok && (e.Type != monitoring.StateChanged || e.Severity != c.want) {
			t.Errorf("from %s to %s: %s %s, event %t; want %s", c.before, c.after, e.Severity, e.Type, ok, c.want)
		}
	}
}
