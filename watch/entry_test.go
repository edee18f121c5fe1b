package watch

import (
	"testing"
	"time"

	"github.com/rodata/rodata/api"
)

func TestEntriesOfTheTradeRegister(t *testing.T) {
	before := Entry{Name: "EXEMPLU SRL", Seat: "jud. Brașov, Brașov, Str. Lungă, nr. 5", Activity: "6201", State: api.InOperation, Statement: 2024}
	for name, c := range map[string]struct {
		change func(*Entry)
		want   string
	}{
		"nothing":   {func(*Entry) {}, ""},
		"spelling":  {func(e *Entry) { e.Name, e.Seat = "EXEMPLU S.R.L.", "Jud. Braşov, Braşov, Lungă, nr. 5, Str." }, ""},
		"left out":  {func(e *Entry) { *e = Entry{} }, ""},
		"name":      {func(e *Entry) { e.Name = "ALTUL SRL" }, "medium company.name.changed; name EXEMPLU SRL -> ALTUL SRL"},
		"insolvent": {func(e *Entry) { e.State = api.Insolvent }, "high company.state.changed; stateRegistration in_operation -> insolvent"},
		"activity":  {func(e *Entry) { e.Activity = "0111" }, "low company.activity.changed; mainNaceCode 6201 -> 0111"},
		"statement": {func(e *Entry) { e.Statement = 2025 }, "low company.statement.filed; balanceSheets 2024 -> 2025"},
		"statement and state": {func(e *Entry) { e.Statement, e.State = 2025, api.StruckOff },
			"high company.state.changed; stateRegistration in_operation -> struck_off; balanceSheets 2024 -> 2025"},
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

	if got := (Entry{}).Over(before); got != before {
		t.Errorf("what a release leaves out is forgotten: %+v", got)
	}
	newer := Entry{Name: "B", Seat: "C", Activity: "1", State: api.StruckOff, Statement: 2026}
	if got := newer.Over(before); got != newer {
		t.Errorf("what a release says is replaced: %+v", got)
	}
}
