package history

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

func date(text string) ro.Date { return testkit.Must(ro.ParseDate(text)) }

// noon returns noon of a day in Bucharest.
func noon(d ro.Date) time.Time { return d.UTC().Add(10 * time.Hour) }

func shown(v *bool) string {
	switch {
	case v == nil:
		return "unknown"
	case *v:
		return "yes"
	}

	return "no"
}

// retroactive returns a company whose VAT registration was cancelled four weeks after the effective day.
func retroactive(t *testing.T) *View {
	day := func(text string) ro.Date { return date(text) }
	v := &View{Day: day("2024-12-12"), At: noon(day("2024-12-12"))}
	v.Timelines[VATPayer] = Timeline{Whole: true, OnDay: new(true), Entries: []Entry{
		{From: day("2017-10-01"), To: day("2020-12-02"), ToRecorded: day("2020-12-29"), Reason: "din oficiu"},
		{From: day("2021-01-13")},
	}}
	v.Timelines[Inactive] = Timeline{OnDay: new(false), Entries: []Entry{
		{From: day("2020-12-02"), FromRecorded: day("2020-12-11"), To: day("2020-12-18")},
	}}
	return v
}

// Before its registration, a company has no statuses: false would be an answer about a company that did not exist. An
// entry from before the registration, as of a company that was registered again, still counts.
func TestNothingIsFalseBeforeRegistration(t *testing.T) {
	v := retroactive(t)
	v.Registered = date("2017-09-15")
	asked := View{Day: date("2016-01-01"), At: v.At, Registered: v.Registered}
	asked.Timelines[VATSplit].OnDay = new(false)
	for _, test := range []struct {
		status   Status
		day      string
		observed []View
		want     string
	}{
		{VATPayer, "2017-09-14", nil, "unknown"},
		{VATPayer, "2017-09-15", nil, "no"},
		{VATPayer, "2017-10-01", nil, "yes"},
		{VATSplit, "2016-01-01", []View{asked}, "unknown"},
	} {
		known := Known(test.status, date(test.day), date("2024-12-12"), v, test.observed)
		if got := shown(known.Value); got != test.want || known.Value == nil && known.Entry != nil {
			t.Errorf("%s on %s: %s, want %s", test.status, test.day, got, test.want)
		}
	}

	v.Registered = date("2018-01-01")
	if value, _ := v.StatusOn(VATPayer, date("2017-12-01")); shown(value) != "yes" {
		t.Errorf("a registration for VAT that is older: %s", shown(value))
	}
}

func TestKnown(t *testing.T) {
	for _, test := range []struct {
		status     Status
		day, known string
		want       string
	}{
		{VATPayer, "2020-12-05", "2024-12-12", "no"},
		{VATPayer, "2020-12-05", "2020-12-05", "yes"},
		{VATPayer, "2020-12-20", "2024-12-12", "no"},
		{VATPayer, "2020-12-20", "2020-12-20", "yes"},
		{VATPayer, "2020-12-20", "2020-12-28", "yes"},
		{VATPayer, "2020-12-20", "2020-12-29", "no"},
		{VATPayer, "2020-12-01", "2024-12-12", "yes"},
		{VATPayer, "2020-12-02", "2024-12-12", "no"}, // ends are exclusive
		{VATPayer, "2021-01-12", "2024-12-12", "no"},
		{VATPayer, "2021-01-13", "2024-12-12", "yes"},
		{VATPayer, "2021-01-13", "2020-06-01", "yes"}, // before the day: no end was known yet
		{VATPayer, "2017-09-30", "2024-12-12", "no"},
		{Inactive, "2020-12-05", "2024-12-12", "yes"},
		{Inactive, "2020-12-05", "2020-12-05", "no"},
		{Inactive, "2020-12-05", "2020-12-11", "yes"},
		{Inactive, "2020-12-18", "2024-12-12", "no"},
		{Inactive, "2019-01-01", "2024-12-12", "unknown"}, // an earlier entry may have been replaced
		{VATSplit, "2020-12-05", "2024-12-12", "unknown"},
		{VATPayer, "2024-12-13", "2024-12-13", "unknown"}, // after the view
	} {
		known := Known(test.status, date(test.day), date(test.known), retroactive(t), nil)
		if got := shown(known.Value); got != test.want {
			t.Errorf("%s on %s, known on %s: %s, want %s", test.status, test.day, test.known, got, test.want)
		}
	}
}

func TestUnknownEndOfEntry(t *testing.T) {
	v := &View{Day: date("2024-12-12"), At: noon(date("2024-12-12"))}
	line := &v.Timelines[EInvoice]
	*line = Timeline{OnDay: new(false), Entries: []Entry{{From: date("2022-03-01")}}}
	line.Reconcile(v.Day)
	for day, want := range map[string]string{"2024-12-12": "no", "2024-12-11": "unknown", "2022-03-01": "unknown",
		"2022-02-28": "unknown"} {
		value, _ := v.StatusOn(EInvoice, date(day))
		if got := shown(value); got != want {
			t.Errorf("on %s: %s, want %s", day, got, want)
		}
		if got := shown(Known(EInvoice, date(day), v.Day, v, []View{*v}).Value); got != want {
			t.Errorf("known on %s: %s, want %s", day, got, want)
		}
	}

	if v.Contradicts(EInvoice) {
		t.Error("a missing value contradicts a known one")
	}

	line.OnDay, line.Entries[0].EndUnknown = new(true), false
	line.Reconcile(v.Day)
	if value, _ := v.StatusOn(EInvoice, date("2024-12-11")); shown(value) != "yes" {
		t.Errorf("an open entry: %s", shown(value))
	}
}

func TestObservationTakesPrecedence(t *testing.T) {
	newest := retroactive(t)
	on := func(day string, vat bool) View {
		v := View{Day: date(day), At: noon(date(day))}
		v.Timelines[VATPayer] = Timeline{Whole: true, OnDay: &vat,
			Entries: []Entry{{From: date("2017-10-01"), FromRecorded: date("2017-10-01")}}}
		return v
	}

	asked := func(day, at string) View { // about a past day
		v := on(day, true)
		v.At = noon(date(at))
		return v
	}

	for name, test := range map[string]struct {
		observed   []View
		day, known string
		want       string
		seen       bool
	}{
		"the register's word of the day": {[]View{on("2018-05-05", false)}, "2018-05-05",
			"2018-05-05", "no", true},
		"a later day is not observed": {[]View{on("2018-05-05", false)}, "2018-05-06", "2018-05-06",
			"yes", false},
		"a later observation is not known": {[]View{on("2018-05-05", false)}, "2018-05-05", "2018-05-04",
			"yes", false},
		"an earlier day by its entries": {[]View{on("2020-12-05", true)}, "2020-12-03", "2020-12-10",
			"yes", true},
		"the newest observation counts": {[]View{on("2018-05-05", true), on("2018-05-06", false)}, "2018-05-06",
			"2018-05-07", "no", true},
		"until the register records otherwise": {[]View{on("2020-12-05", true)}, "2020-12-05", "2020-12-29",
			"no", false},
		"and not before that": {[]View{on("2020-12-05", true)}, "2020-12-05", "2020-12-28",
			"yes", true},
		"a past day that was asked about": {[]View{asked("2018-05-05", "2021-06-01")}, "2018-05-05", "2021-06-01",
			"yes", true},
		"which says nothing about later days": {[]View{asked("2018-05-05", "2021-06-01")}, "2020-12-25", "2021-06-01",
			"no", false},
	} {
		t.Run(name, func(t *testing.T) {
			known := Known(VATPayer, date(test.day), date(test.known), newest, test.observed)
			if got := shown(known.Value); got != test.want || (known.Observed != nil) != test.seen {
				t.Errorf("got %s, observed %v", got, known.Observed)
			}
		})
	}
}

// world is the registrations of an invented company, with the days on which they were recorded.
type world []Entry

// at returns the register's content at the end of a day.
func (w world) at(recorded ro.Date) View {
	v := View{Day: recorded, At: noon(recorded)}
	timeline := Timeline{Whole: true, OnDay: new(false)}
	for _, e := range w {
		if e.FromRecorded > recorded {
			continue
		}
		if e.ToRecorded > recorded {
			e.To, e.ToRecorded = 0, 0
		}

		timeline.Entries = append(timeline.Entries, e)
		if recorded >= e.From && (e.To == 0 || recorded < e.To) {
			timeline.OnDay = new(true)
		}
	}

	v.Timelines[VATPayer] = timeline
	return v
}

// oracle returns the status on day as recorded by the end of the day recorded, computed entry by entry.
func (w world) oracle(day, recorded ro.Date) bool {
	for _, e := range w {
		ended := e.To != 0 && e.ToRecorded <= recorded && day >= e.To
		if e.FromRecorded <= recorded && day >= e.From && !ended {
			return true
		}
	}

	return false
}

func invent(r *rand.Rand, span int) world {
	var w world
	for day := 1 + r.IntN(20); day < span; {
		e := Entry{From: ro.Date(day)}
		e.FromRecorded = e.From + ro.Date(max(0, r.IntN(20)-10))
		day += 1 + r.IntN(60)
		if e.To = ro.Date(day); r.IntN(5) == 0 {
			e.To = 0
			return append(w, e)
		}

		e.ToRecorded = max(e.FromRecorded, e.To+ro.Date(r.IntN(50)-10))
		w = append(w, e)
		day += 1 + r.IntN(60)
		if next := int(e.ToRecorded); day < next { // a registration follows a recorded end
			day = next
		}
	}

	return w
}

// For any day and any day of knowledge, the answer equals the state recorded by then. Removing all later records does
// not change it, no matter what was observed.
func TestNothingRecordedLaterIsUsed(t *testing.T) {
	const span = 400
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 19))
		w := invent(r, span)
		newest := w.at(span + 100)
		var observed, wrong []View
		for day := 1; day < span; day += 1 + r.IntN(80) {
			v := w.at(ro.Date(day))
			observed = append(observed, v)
			if r.IntN(2) == 0 { // outside the entries: a correction, a mistake
				v.Timelines[VATPayer].OnDay = new(r.IntN(2) == 0)
			}

			wrong = append(wrong, v)
		}

		for range 40 {
			day, known := ro.Date(1+r.IntN(span)), ro.Date(1+r.IntN(span))
			want := w.oracle(day, known)
			for name, seen := range map[string][]View{"computed": nil, "observed": observed} {
				if got := Known(VATPayer, day, known, &newest, seen); got.Value == nil || *got.Value != want {
					t.Fatalf("seed %d, %s, %v: on %d known on %d: %s, want %v", seed, name, w, day, known,
						shown(got.Value), want)
				}
			}

			var until []View
			for _, v := range wrong {
				if v.Day <= known {
					until = append(until, v)
				}
			}

			then := w.at(max(day, known))
			then.Timelines[VATPayer] = w.at(known).Timelines[VATPayer] // as recorded by then
			got, without := Known(VATPayer, day, known, &newest, wrong), Known(VATPayer, day, known, &then, until)
			if shown(got.Value) != shown(without.Value) || (got.Observed == nil) != (without.Observed == nil) ||
				got.Observed != nil && got.Observed.At != without.Observed.At {
				t.Fatalf("seed %d, %v: on %d known on %d: %s, without what came later %s", seed, w, day, known,
					shown(got.Value), shown(without.Value))
			}
		}
	}
}

func TestBucharestMidnight(t *testing.T) {
	midnight := time.Date(2026, 6, 30, 21, 0, 0, 0, time.UTC) // 2026-07-01 00:00 in Bucharest
	for at, want := range map[time.Time]string{midnight.Add(-time.Second): "2026-06-30", midnight: "2026-07-01"} {
		v := View{At: at, Day: date(want)}
		v.Timelines[Inactive].OnDay = new(true)
		if got := v.answeredOn().String(); got != want {
			t.Errorf("%s: taken on %s, want %s", at, got, want)
		}
		if value, _ := v.StatusOn(Inactive, date("2026-07-01")); (value != nil) != (want == "2026-07-01") {
			t.Errorf("a view of %s answers for July: %v", at, value)
		}
	}
}

func TestContradiction(t *testing.T) {
	v := retroactive(t)
	if v.Contradicts(VATPayer) || v.Contradicts(VATSplit) {
		t.Error("a consistent view contradicts itself")
	}

	v.Timelines[VATPayer].OnDay = new(false)
	if !v.Contradicts(VATPayer) {
		t.Error("the register's statement counts as contradicting the entries")
	}
	if value, _ := v.StatusOn(VATPayer, v.Day); *value {
		t.Error("the entries took precedence over the register's statement")
	}
}
