package holidays

import (
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

var calendar Calendar

func date(text string) ro.Date { return testkit.Must(ro.ParseDate(text)) }

// TestArchive compares the calendar with the central bank's documents. It has every weekday without a fixing in these
// spans, and the total number of fixings.
func TestArchive(t *testing.T) {
	fixings := 0
	for _, span := range []struct{ from, to, without string }{
		{"2018-01-01", "2018-02-09", "01-01 01-02 01-24"},
		{"2022-01-01", "2022-12-31", "01-24 04-22 04-25 06-01 06-13 08-15 11-30 12-01 12-26"},
		{"2023-01-01", "2023-12-31", "01-02 01-24 04-14 04-17 05-01 06-01 06-05 08-15 11-30 12-01 12-25 12-26"},
		{"2024-01-01", "2024-01-23", "01-01 01-02"},
		{"2026-01-01", "2026-08-19", "01-01 01-02 01-06 01-07 04-10 04-13 05-01 06-01"},
	} {
		t.Run(span.from, func(t *testing.T) {
			var without []string
			for day := date(span.from); day <= date(span.to); day++ {
				weekend := day.Weekday() == time.Saturday || day.Weekday() == time.Sunday
				switch {
				case BankDay(day) && weekend:
					t.Errorf("%s is a %s", day, day.Weekday())
				case BankDay(day):
					fixings++
				case !weekend:
					without = append(without, day.String()[5:])
				}
			}

			if got := strings.Join(without, " "); got != span.without {
				t.Errorf("weekdays without a fixing\n%s, want\n%s", got, span.without)
			}
		})
	}

	if fixings != 698 {
		t.Errorf("%d fixings, want the 698 of the archive", fixings)
	}
}

// TestEveryKnownFixing checks the day of every fixing that other tests use.
func TestEveryKnownFixing(t *testing.T) {
	file, err := os.Open("../bnr/testdata/facts.csv")
	testkit.NoError(t, err)
	defer file.Close()

	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) < 300 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}

	for _, row := range rows[1:] {
		if !BankDay(date(row[0])) {
			t.Errorf("no fixing is expected on %s, which had one", row[0])
		}
	}
}

// TestHolidays checks the days off of some years against newspapers and the law, with at least one year for each law.
func TestHolidays(t *testing.T) {
	for year, want := range map[int]string{
		2005: "01-01 01-02 05-01 05-01 05-02 12-01 12-25 12-26", // Easter on Labour Day
		2008: "01-01 01-02 04-27 04-28 05-01 12-01 12-25 12-26",
		2009: "01-01 01-02 04-19 04-20 05-01 06-07 06-08 08-15 12-01 12-25 12-26",
		2012: "01-01 01-02 04-15 04-16 05-01 06-03 06-04 08-15 11-30 12-01 12-25 12-26",
		2016: "01-01 01-02 05-01 05-01 05-02 06-19 06-20 08-15 11-30 12-01 12-25 12-26",
		2017: "01-01 01-02 01-24 04-16 04-17 05-01 06-01 06-04 06-05 08-15 11-30 12-01 12-25 12-26",
		2018: "01-01 01-02 01-24 04-06 04-08 04-09 05-01 05-27 05-28 06-01 08-15 11-30 12-01 12-25 12-26",
		2023: "01-01 01-02 01-24 04-14 04-16 04-17 05-01 06-01 06-04 06-05 08-15 11-30 12-01 12-25 12-26",
		2024: "01-01 01-02 01-06 01-07 01-24 05-01 05-03 05-05 05-06 06-01 06-23 06-24 08-15 11-30 12-01 12-25 12-26",
		2026: "01-01 01-02 01-06 01-07 01-24 04-10 04-12 04-13 05-01 05-31 06-01 06-01 08-15 11-30 12-01 12-25 12-26",
		2027: "01-01 01-02 01-06 01-07 01-24 04-30 05-01 05-02 05-03 06-01 06-20 06-21 08-15 11-30 12-01 12-25 12-26",
	} {
		var days []string
		for _, h := range calendar.Holidays(year) {
			days = append(days, h.Date.String()[5:])
			if h.Date.Year() != year || h.Weekday != reference.WeekdayOf(h.Date) || h.BankDay || h.Fixing {
				t.Errorf("%d: %+v", year, h)
			}
		}

		if got := strings.Join(days, " "); got != want {
			t.Errorf("%d: %s, want %s", year, got, want)
		}
	}
}

// TestLaws checks each day that a law added: it is a holiday from the law's first year on, and not in the year before.
func TestLaws(t *testing.T) {
	for _, c := range []struct {
		name, law string
		first     string
	}{
		{"Whit Sunday", "Law 202/2008", "2009-06-07"},
		{"Whit Monday", "Law 202/2008", "2009-06-08"},
		{"Dormition of the Mother of God", "Law 202/2008", "2009-08-15"},
		{"Saint Andrew's Day", "Law 147/2012", "2012-11-30"},
		{"Day of the Union of the Romanian Principalities", "Law 176/2016", "2017-01-24"},
		{"Children's Day", "Law 220/2016", "2017-06-01"},
		{"Good Friday", "Law 64/2018", "2018-04-06"},
		{"Epiphany", "Law 52/2023", "2024-01-06"},
		{"Synaxis of Saint John the Baptist", "Law 52/2023", "2024-01-07"},
	} {
		t.Run(c.name, func(t *testing.T) {
			first := date(c.first)
			named := func(h reference.Holiday) bool { return h.NameEn == c.name }
			if slices.ContainsFunc(calendar.Holidays(first.Year()-1), named) {
				t.Errorf("it was already a holiday in %d", first.Year()-1)
			}

			days := calendar.HolidaysOn(first)
			i := slices.IndexFunc(days, named)
			if i < 0 {
				t.Fatalf("on %s there is %+v", c.first, days)
			}
			if h := days[i]; h.Law != c.law || h.Since == nil || *h.Since != first.Year() {
				t.Errorf("%+v, want %s since %d", h, c.law, first.Year())
			}
		})
	}

	for _, h := range calendar.Holidays(2005) {
		if h.Law != "Law 53/2003" || h.Since != nil {
			t.Errorf("%s in 2005 by %s", h.NameEn, h.Law)
		}
	}
}

// TestBanksCloseForFourDaysAtMost checks the calendar against a rule of the central bank: payments may pause for at
// most four consecutive days, including holidays and weekends (Norm 10/2003).
func TestBanksCloseForFourDaysAtMost(t *testing.T) {
	closed := 0
	for day := ro.NewDate(2005, 1, 1); day.Year() <= 2027; day++ {
		if closed++; BankDay(day) {
			closed = 0
		}
		if closed > 4 {
			t.Errorf("banks are closed for %d days until %s", closed, day)
		}
	}
}

// TestEaster checks dates of the Orthodox Easter from church calendars, including the earliest and the latest date in
// the years that the service supports.
func TestEaster(t *testing.T) {
	for year, want := range map[int]string{
		2005: "2005-05-01", 2008: "2008-04-27", 2010: "2010-04-04", 2013: "2013-05-05", 2017: "2017-04-16",
		2021: "2021-05-02",
		2024: "2024-05-05", 2025: "2025-04-20", 2026: "2026-04-12", 2027: "2027-05-02", 2028: "2028-04-16",
	} {
		if got := easterOf(year); got != date(want) {
			t.Errorf("Easter of %d is %s, want %s", year, got, want)
		}
	}
}
