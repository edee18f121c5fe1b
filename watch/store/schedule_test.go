package store

import (
	"slices"
	"testing"
	"time"

	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/watch"
)

// look notes a look at a company.
func look(t testing.TB, db *DB, company ro.CUI, at time.Time) {
	t.Helper()
	err := database.Exec(t.Context(), db.Writer,
		`INSERT INTO looked (company, at, statuses, nace, phone) VALUES ($1, $2, 2, 6210, '0700000000')
		ON CONFLICT (company) DO UPDATE SET at = excluded.at`, int64(company), at.UnixMilli())
	testkit.NoError(t, err)
}

func pay(t testing.TB, db *DB, account string, month watch.Month, companies ...ro.CUI) {
	t.Helper()
	testkit.Must(db.MarkPaid(t.Context(), account, companies, month, nil))
}

func setEvery(t testing.TB, db *DB, list int64, every string) {
	t.Helper()
	testkit.NoError(t, database.Exec(t.Context(), db.Writer, `UPDATE watchlists SET every = $1 WHERE ordinal = $2`, every,
		list))
}

func companiesOf(looks []watch.Look) (all []ro.CUI) {
	for _, l := range looks {
		all = append(all, l.Company)
	}
	return all
}

func TestDueWatched(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		list(t, db, "a", 1, 0, 1, 2, 3, 4, 5, 6)
		list(t, db, "a", 2, 0, 7, 8)
		list(t, db, "b", 3, 0, 4, 8)
		setEvery(t, db, 2, "week")
		pay(t, db, "a", 202611, 1, 2, 3, 4, 7, 8)
		pay(t, db, "a", 202610, 5)
		pay(t, db, "b", 202611, 4, 8)

		look(t, db, 1, noon.Add(-time.Hour))    // today
		look(t, db, 2, noon.Add(-25*time.Hour)) // due
		look(t, db, 4, noon.Add(-49*time.Hour)) // due, in two lists
		look(t, db, 5, noon.Add(-2*time.Hour))  // paid last month
		look(t, db, 6, noon.Add(-2*time.Hour))  // never paid
		look(t, db, 7, noon.Add(-49*time.Hour)) // weekly
		look(t, db, 8, noon.Add(-48*time.Hour)) // weekly for one account, daily for the other

		all, err := db.DueWatched(t.Context(), watch.Look{}, noon, 0, 100)
		if want := []ro.CUI{3, 4, 8, 2, 5, 6}; err != nil || !slices.Equal(companiesOf(all), want) {
			t.Fatalf("due are %v, %v, want %d", all, err, want)
		}
		if !all[0].At.IsZero() || !all[1].At.Equal(noon.Add(-49*time.Hour)) {
			t.Errorf("the last looks were %v", all)
		}

		var paged []ro.CUI
		for after := (watch.Look{}); ; {
			some := testkit.Must(db.DueWatched(t.Context(), after, noon, 0, 1))
			if len(some) == 0 {
				break
			}

			after = some[0]
			paged = append(paged, after.Company)
		}

		if !slices.Equal(paged, companiesOf(all)) {
			t.Errorf("one by one, due are %d", paged)
		}

		testkit.Must(db.SetUnpaid(t.Context(), "a", 202611, noon))

		all, err = db.DueWatched(t.Context(), watch.Look{}, noon, 0, 100)
		if want := []ro.CUI{3, 4, 8, 2}; err != nil || !slices.Equal(companiesOf(all), want) {
			t.Errorf("due without the companies that cannot be paid for are %v, %v, want %d", all, err, want)
		}

		all, err = db.DueWatched(t.Context(), watch.Look{}, noon, 23*time.Hour, 100)
		if want := []ro.CUI{3, 4, 8, 2, 1}; err != nil || !slices.Equal(companiesOf(all), want) {
			t.Errorf("due an hour after a look are %v, %v, want %d", all, err, want)
		}

		all, err = db.DueWatched(t.Context(), watch.Look{}, noon.AddDate(0, 1, 0), 0, 100)
		if err != nil || len(all) != 8 {
			t.Errorf("due in the next month are %v, %v, want all 8", all, err)
		}
	})
}

func TestOldestLooks(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		today := ro.DateIn(noon, ro.Bucharest)
		for company, hours := range map[ro.CUI]int{1: 30, 2: 50, 3: 50, 4: 2, 5: 70} {
			look(t, db, company, noon.Add(-time.Duration(hours)*time.Hour))
		}

		for day, companies := range map[ro.Date][]ro.CUI{today: {2, 4}, today - 90: {1, 5}} {
			testkit.NoError(t, db.NoteSeen(t.Context(), companies, day))
		}

		if err := db.NoteSeen(t.Context(), []ro.CUI{2}, today-100); err != nil { // from an edge with a slow clock
			t.Fatal(err)
		}

		oldest := func(after watch.Look, seen ro.Date, want ...ro.CUI) []watch.Look {
			t.Helper()
			all, err := db.Oldest(t.Context(), after, noon.Add(-24*time.Hour), seen, 100)
			if err != nil || !slices.Equal(companiesOf(all), want) {
				t.Errorf("the oldest since %s are %v, %v, want %d", seen, all, err, want)
			}

			return all
		}
		all := oldest(watch.Look{}, 0, 5, 2, 3, 1)
		oldest(all[1], 0, 3, 1)
		oldest(watch.Look{}, today-90, 5, 2, 1)
		oldest(watch.Look{}, today-89, 2)

		testkit.NoError(t, db.ForgetSeen(t.Context(), today))

		oldest(watch.Look{}, today-90, 2)

		looked, err := db.LookedAt(t.Context(), 1, 4)
		if want := []ro.CUI{2, 3, 4}; err != nil || !slices.Equal(looked, want) {
			t.Errorf("looked at are %d, %v, want %d", looked, err, want)
		}
	})
}

func TestWhatLooksSaid(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		look(t, db, 1, noon)
		look(t, db, 2, noon.Add(-time.Hour))
		testkit.NoError(t, database.Exec(t.Context(), db.Writer,
			`UPDATE looked SET missing_since = at WHERE company = 2`))
		all, err := db.Findings(t.Context(), time.Time{}, 0, 10)
		if err != nil || len(all) != 2 || all[0].Company != 2 || !all[0].Missing || all[1].Company != 1 {
			t.Fatalf("%v, %v", all, err)
		}

		want := history.Finding{Company: 1, At: noon, Statuses: 2, NACE: 6210, Phone: "0700000000"}
		if all[1] != want {
			t.Errorf("%+v, want %+v", all[1], want)
		}
		if rest, err := db.Findings(t.Context(), all[0].At, all[0].Company, 10); err != nil || len(rest) != 1 {
			t.Errorf("after the first: %v, %v", rest, err)
		}
		if some, err := db.FindingsOf(t.Context(), []ro.CUI{1, 3}); err != nil || len(some) != 1 || some[0] != want {
			t.Errorf("for some companies: %v, %v", some, err)
		}
	})
}

func TestObservedIsCounted(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		list(t, db, "a", 1, 0, 1, 2, 3, 4)
		pay(t, db, "a", 202611, 1, 2, 4)
		look(t, db, 1, noon.Add(-time.Hour))
		look(t, db, 2, noon.Add(-60*time.Hour)) // overdue
		look(t, db, 3, noon.Add(-90*time.Hour)) // unpaid
		look(t, db, 9, noon.Add(-time.Hour))
		today := ro.DateIn(noon, ro.Bucharest)
		testkit.NoError(t, db.NoteSeen(t.Context(), []ro.CUI{1, 9}, today))

		got, err := db.Coverage(t.Context(), noon, today-90)
		want := watch.Coverage{Watched: 4, Seen: 1, LookedAt: 2, Overdue: 2, Unpaid: 1,
			Oldest: noon.Add(-60 * time.Hour)}
		if err != nil || got != want { // 4 was added long ago and never looked at
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	})
}
