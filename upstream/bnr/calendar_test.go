package bnr

import (
	"slices"
	"testing"
	"time"

	"github.com/rodata/rodata/api"
)

// The weekdays without a fixing in the bank's documents of these years; those of
// 2025 and 2027 follow from the law.
func TestPublishes(t *testing.T) {
	tests := map[string]struct {
		from, to string
		without  []string
	}{
		"2018": {"2018-01-01", "2018-02-09", []string{"2018-01-01", "2018-01-02", "2018-01-24"}},
		"2022": {"2022-01-01", "2022-12-31",
			[]string{"2022-01-24", "2022-04-22", "2022-04-25", "2022-06-01", "2022-06-13",
				"2022-08-15", "2022-11-30", "2022-12-01", "2022-12-26"}},
		"2023": {"2023-01-01", "2023-12-31",
			[]string{"2023-01-02", "2023-01-24", "2023-04-14", "2023-04-17", "2023-05-01",
				"2023-06-01", "2023-06-05", "2023-08-15", "2023-11-30", "2023-12-01", "2023-12-25", "2023-12-26"}},
		"2025": {"2025-01-01", "2025-12-31",
			[]string{"2025-01-01", "2025-01-02", "2025-01-06", "2025-01-07", "2025-01-24",
				"2025-04-18", "2025-04-21", "2025-05-01", "2025-06-09", "2025-08-15", "2025-12-01", "2025-12-25",
				"2025-12-26"}},
		"2026": {"2026-01-01", "2026-12-31",
			[]string{"2026-01-01", "2026-01-02", "2026-01-06", "2026-01-07", "2026-04-10",
				"2026-04-13", "2026-05-01", "2026-06-01", "2026-11-30", "2026-12-01", "2026-12-25"}},
		"2027": {"2027-01-01", "2027-12-31",
			[]string{"2027-01-01", "2027-01-06", "2027-01-07", "2027-04-30", "2027-05-03",
				"2027-06-01", "2027-06-21", "2027-11-30", "2027-12-01"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var without []string
			for day := date(test.from); day <= date(test.to); day++ {
				weekend := day.Weekday() == time.Saturday || day.Weekday() == time.Sunday
				if weekend && Publishes(day) {
					t.Errorf("a fixing on %s, a %s", day, day.Weekday())
				}
				if !weekend && !Publishes(day) {
					without = append(without, day.String())
				}
			}
			if !slices.Equal(without, test.without) {
				t.Errorf("weekdays without a fixing\n%v, want\n%v", without, test.without)
			}
		})
	}
}

func TestEveryPublishedDayIsInTheCalendar(t *testing.T) {
	for _, f := range facts(t) {
		if !Publishes(f.day) {
			t.Errorf("no fixing is expected on %s, which had one", f.day)
		}
	}
}

func TestEaster(t *testing.T) {
	for year, want := range map[int]string{2025: "2025-04-20", 2026: "2026-04-12", 2027: "2027-05-02"} {
		if got := easter(year); got != date(want) {
			t.Errorf("Easter of %d is %s, want %s", year, got, want)
		}
	}
}

func TestExpectedBefore(t *testing.T) {
	if got := expectedBefore(date("2026-04-14")); got != date("2026-04-09") {
		t.Errorf("before 2026-04-14 comes %s", got)
	}
	if n := expected(date("2026-04-09"), date("2026-04-14")); n != 1 {
		t.Errorf("%d days expected from after Thursday before Easter to the Tuesday after it, want 1", n)
	}
	if n := expected(0, api.Date(0)); n != 0 {
		t.Errorf("%d days expected before the archive begins", n)
	}
}
