package holidays

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/caller"
)

var calls = caller.New(api.Registries{Calendar: Calendar{}})

// get makes a call without a key.
func get(t testing.TB, target string) op.Reply {
	t.Helper()
	return calls.Get(t, target)
}

// read makes a call that succeeds, and decodes its answer.
func read[T any](t *testing.T, target string) T {
	t.Helper()
	return caller.Read[T](t, calls, target)
}

func TestGetHolidays(t *testing.T) {
	for year := reference.FirstCalendarYear; year <= reference.LastCalendarYear(); year++ {
		answer := read[reference.HolidayYear](t, fmt.Sprintf("/v1/holidays?year=%d", year))
		provisional := year > calendar.AsOf().Year()
		if answer.Year != year || len(answer.Items) != len(calendar.Holidays(year)) ||
			answer.Provisional != provisional || answer.AsOf != calendar.AsOf() {
			t.Errorf("%d: %+v", year, answer)
		}
		if strings.Contains(answer.NoteEn, "later laws") != provisional ||
			strings.Contains(answer.Note, "ulterior") != provisional {
			t.Errorf("%d: %s %s", year, answer.Note, answer.NoteEn)
		}
		if !strings.Contains(answer.NoteEn, "Bridge days") || !strings.Contains(answer.Note, "Punțile") {
			t.Errorf("%d does not mention bridge days: %s %s", year, answer.Note, answer.NoteEn)
		}
		if article := map[bool]string{true: "art. 134 (1)",
			false: "art. 139 (1)"}[year < 2011]; !strings.Contains(answer.Basis, article) {
			t.Errorf("%d: the basis is %s", year, answer.Basis)
		}
	}

	if answer := read[reference.HolidayYear](t, "/v1/holidays"); answer.Year != ro.Today().Year() {
		t.Errorf("the default is %d", answer.Year)
	}
	// The bank's file for 2023 has as many fixings.
	if answer := read[reference.HolidayYear](t, "/v1/holidays?year=2023"); answer.BankDays != 248 {
		t.Errorf("%d bank days in 2023", answer.BankDays)
	}

	const want = `{"date":"2018-04-06","weekday":"friday","name":"Vinerea Mare","nameEn":"Good Friday","law":"Law 64/2018","since":2018,"bankDay":false,"fixing":false}`
	if got := string(get(t, "/v1/holidays?year=2018").Document.JSON); !strings.Contains(got, want) {
		t.Errorf("Good Friday of 2018 is not in %s", got)
	}
}

// outdated is the calendar of a program built two years ago.
type outdated struct{ Calendar }

func (outdated) AsOf() ro.Date { return ro.NewDate(ro.Today().Year()-2, time.November, 22) }

// TestOutdatedProgramIsProvisional verifies that a year is final only if the laws were verified in that year or later.
func TestOutdatedProgramIsProvisional(t *testing.T) {
	calls := caller.New(api.Registries{Calendar: outdated{}})
	for year := reference.LastCalendarYear() - 3; year <= reference.LastCalendarYear(); year++ {
		want := year > outdated{}.AsOf().Year()
		if got := caller.Read[reference.HolidayYear](t, calls,
			fmt.Sprintf("/v1/holidays?year=%d", year)); got.Provisional != want {
			t.Errorf("holidays of %d: provisional %t; %s", year, got.Provisional, got.NoteEn)
		}
		if got := caller.Read[reference.DueDate](t, calls,
			fmt.Sprintf("/v1/business-days?from=%d-06-15&days=1", year)); got.Provisional != want {
			t.Errorf("bank days of %d: provisional %t; %s", year, got.Provisional, got.NoteEn)
		}
	}
}

// TestAnswers compares due dates with testdata/answers.txt.
func TestAnswers(t *testing.T) {
	calls.Answers(t, "testdata/answers.txt", func(value any) string {
		due := value.(reference.DueDate)
		text := fmt.Sprintf("%s, a %s", due.Date, due.Weekday)
		for _, d := range due.PassedOver {
			text += fmt.Sprintf("\nover %s, a %s: %s", d.Date, d.Weekday, d.Reason)
			if d.NameEn != nil {
				text += fmt.Sprintf(" %s, %s", *d.Name, *d.NameEn)
			}
		}

		return text
	})

	if answer := read[reference.DueDate](t, "/v1/business-days?days=0"); answer.From != ro.Today() {
		t.Errorf("the default is %s", answer.From)
	}
}

// TestThereAndBack counts from every bank day of five years forwards and back again.
func TestThereAndBack(t *testing.T) {
	for day := ro.NewDate(2015, 1, 1); day.Year() < 2020; day++ {
		if !BankDay(day) {
			continue
		}

		for _, n := range []int{1, 7, 30} {
			there := read[reference.DueDate](t, fmt.Sprintf("/v1/business-days?from=%s&days=%d", day, n))
			back := read[reference.DueDate](t, fmt.Sprintf("/v1/business-days?from=%s&days=%d", there.Date, -n))
			if back.Date != day || int(there.Date-day) != n+len(there.PassedOver) {
				t.Fatalf("%d from %s: %s and back %s, %d passed over", n, day, there.Date, back.Date,
					len(there.PassedOver))
			}
		}
	}
}

func TestCalendarRefusals(t *testing.T) {
	next := reference.LastCalendarYear()
	for _, c := range []struct{ name, target, says string }{
		{"year before the first", "/v1/holidays?year=2004", fmt.Sprintf("from 2005 to %d", next)},
		{"year after next", fmt.Sprintf("/v1/holidays?year=%d", next+1), fmt.Sprintf("from 2005 to %d", next)},
		{"year of two digits", "/v1/holidays?year=26", fmt.Sprintf("from 2005 to %d", next)},
		{"no year", "/v1/holidays?year=x", fmt.Sprintf("from 2005 to %d", next)},
		{"from before the calendar", "/v1/business-days?from=2004-12-31&days=1", "from 2005-01-01"},
		{"from after the calendar", fmt.Sprintf("/v1/business-days?from=%d-01-01&days=-1", next+1),
			fmt.Sprintf("%d-12-31", next)},
		{"result before the calendar", "/v1/business-days?from=2005-01-03&days=-1",
			"-1 bank days from 2005-01-03 lead to 2004-12-31, outside the calendar (2005 to "},
		{"result after the calendar", fmt.Sprintf("/v1/business-days?from=%d-12-31&days=1", next),
			fmt.Sprintf("(2005 to %d); send fewer days", next)},
		{"days missing", "/v1/business-days", "days is missing"},
		{"too many days", "/v1/business-days?days=1001", "from -1000 to 1000"},
		{"too many days back", "/v1/business-days?days=-1001", "from -1000 to 1000"},
		{"half a day", "/v1/business-days?days=1.5", "from -1000 to 1000"},
		{"a sign alone", "/v1/business-days?days=-", "from -1000 to 1000"},
		{"two signs", "/v1/business-days?days=--1", "from -1000 to 1000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			reply := get(t, c.target)
			if reply.Status != 400 || reply.Problem == nil || !strings.Contains(reply.Problem.Detail, c.says) {
				t.Errorf("%d %v, want a problem that says %s", reply.Status, reply.Problem, c.says)
			}
		})
	}
}

// TestAnswersAreKeptUntilMidnight verifies that no cache serves yesterday's default.
func TestAnswersAreKeptUntilMidnight(t *testing.T) {
	for _, target := range []string{"/v1/holidays", "/v1/business-days?days=1"} {
		reply := get(t, target)
		until := ro.DateIn(time.Now().Add(reply.MaxAge-time.Second), ro.Bucharest)
		if reply.Cost != 0 || reply.Cache != op.Hit || reply.Private || reply.MaxAge > 24*time.Hour ||
			until != ro.Today() {
			t.Errorf("%s: cost %d, cache %q, private %t, max-age %v", target, reply.Cost, reply.Cache, reply.Private,
				reply.MaxAge)
		}
	}
}
