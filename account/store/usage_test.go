package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/testkit"
)

func (d *DB) usage(t *testing.T, owner string) []metering.Calls {
	t.Helper()
	return testkit.Must(d.Usage(t.Context(), owner, "2000-01-01", "2100-01-01"))
}

func TestUsageByDay(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		paid := charges(3, "acc-1", 100)
		paid[0].Hit, paid[2].Operation = true, "search_companies"
		db.settle(t, november, paid...)
		db.settle(t, november.Add(time.Hour), charges(2, "acc-1", 100)...)
		db.settle(t, november.AddDate(0, 0, 1), charges(1, "acc-1", 100)...)
		db.settle(t, november, charges(1, "acc-2", 100)...)
		db.settle(t, november, charges(1, "acc-1", 0)...) // refused, and not counted
		for range 2 {
			free := []metering.Calls{
				{Account: "acc-2", Day: "2026-11-20", Operation: "list_plans", Calls: 1},
				{Account: "acc-1", Day: "2026-11-20", Operation: "get_company", Calls: 2, Hits: 1}, // answered with 304
			}
			testkit.NoError(t, db.Count(t.Context(), free))
		}

		want := []metering.Calls{
			{Account: "acc-1", Day: "2026-11-20", Operation: "get_company", Calls: 8, Hits: 3, Credits: 4},
			{Account: "acc-1", Day: "2026-11-20", Operation: "search_companies", Calls: 1, Credits: 1},
			{Account: "acc-1", Day: "2026-11-21", Operation: "get_company", Calls: 1, Credits: 1},
		}
		testkit.Equal(t, db.usage(t, "acc-1"), want)

		day, err := db.Usage(t.Context(), "acc-1", "2026-11-21", "2026-11-21")
		if err != nil || !slices.Equal(day, want[2:]) {
			t.Errorf("usage of one day: %+v, %v", day, err)
		}
	})
}

func TestPruneKeepsPromisedPeriods(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		for _, at := range []time.Time{
			time.Date(2025, 9, 30, 23, 59, 0, 0, time.UTC),
			time.Date(2025, 10, 1, 0, 0, 0, 0, time.UTC),
			time.Date(2026, 9, 30, 23, 59, 0, 0, time.UTC),
			time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC),
			november,
		} {
			db.settle(t, at, charges(1, "acc-1", 100)...)
		}

		many := make([]metering.Calls, pruneAtOnce)
		for i := range many {
			many[i] = metering.Calls{Account: fmt.Sprint("acc-", 2+i), Day: "2025-09-01", Operation: "list_plans",
				Calls: 1}
		}
		testkit.NoError(t, db.Count(t.Context(), many))

		for part, want := range []bool{true, false} {
			if more, err := db.Prune(t.Context(), november); more != want || err != nil {
				t.Errorf("part %d: more to delete is %v, %v", part, more, err)
			}
		}

		for period, want := range map[string]int64{"2025-09": 0, "2025-10": 0, "2026-09": 0, "2026-10": 1,
			"2026-11": 1} {
			if n, _ := db.entries(t, "acc-1", period); n != want {
				t.Errorf("%s has %d entries, want %d", period, n, want)
			}
			testkit.Equal(t, db.balance(t, "acc-1", period).Used, 1, "the balance of %s", period)
		}

		days := db.usage(t, "acc-1")
		if len(days) != 4 || days[0].Day != "2025-10-01" {
			t.Errorf("the days kept are %+v", days)
		}
		if old := db.usage(t, "acc-2"); len(old) > 0 {
			t.Errorf("old days are kept: %+v", old)
		}
	})
}
