package store

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/watch"
)

// november is when the five months of the statements for 2025 are over.
var november = time.Date(2026, 11, 3, 8, 0, 0, 0, time.UTC)

// paidBy marks companies as paid by an account for November.
func (d *DB) paidBy(t testing.TB, account string, companies ...ro.CUI) {
	t.Helper()
	testkit.Must(d.MarkPaid(t.Context(), account, companies, watch.MonthOf(november), nil))
}

func absence(c ro.CUI, year int) watch.StatementCheck {
	end := ro.NewDate(year+1, 10, 31)
	return watch.StatementCheck{Company: c, Event: watch.AbsenceEvent(
		&company.Company{TaxID: c, Name: "EXEMPLU SRL"},
		&company.StatementState{Year: year, DueOn: new(ro.NewDate(year+1, 5, 31)), FiveMonthsEndOn: &end,
			LastFiled: new(year - 1), Sources: []company.Source{{Name: "anaf-bilant"}}}, november)}
}

func dueStatements(t testing.TB, db *DB, year int, now time.Time) []ro.CUI {
	t.Helper()
	due := testkit.Must(db.DueStatements(t.Context(), year, now, 10))
	slices.Sort(due)
	return due
}

// Only companies that are paid for and in lists that name the event are due, and only such lists and webhooks get it.
func TestDueStatements(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		named := monitoring.SetOf(monitoring.StatementAbsent)
		list(t, db, "a", 1, monitoring.DefaultEvents, acme, 1, 2)
		list(t, db, "a", 2, named, acme, 3)
		list(t, db, "b", 3, monitoring.DefaultEvents|named, acme, other)
		db.paidBy(t, "a", acme, 1, 2)
		db.paidBy(t, "b", acme, other)
		db.webhook(t, "wh_all", "a", monitoring.DefaultEvents)
		db.webhook(t, "wh_absent", "a", named)

		want := []ro.CUI{acme, other}
		slices.Sort(want)
		if due := dueStatements(t, db, 2025, november); !slices.Equal(due, want) {
			t.Errorf("%v are due, want %v", due, want)
		}
		if due := dueStatements(t, db, 2025, november.AddDate(0, 1, 0)); due != nil {
			t.Errorf("%v are due in a month that nobody has paid", due)
		}

		added, err := db.RecordStatements(t.Context(), 2025, []watch.StatementCheck{absence(acme, 2025),
			{Company: other, Next: november.Add(time.Hour)}})
		if !added || err != nil {
			t.Errorf("recorded an event: %t, %v", added, err)
		}
		if due := dueStatements(t, db, 2025, november); due != nil {
			t.Errorf("%v are due again", due)
		}
		if due := dueStatements(t, db, 2025, november.Add(time.Hour)); !slices.Equal(due, []ro.CUI{other}) {
			t.Errorf("%v are due an hour later, want %v", due, other)
		}

		if due := dueStatements(t, db, 2026, november); !slices.Equal(due, want) {
			t.Errorf("for the next year %v are due, want %v", due, want)
		}

		for id, want := range map[string]int{"wl_1": 0, "wl_2": 1, "wl_3": 1} {
			account := map[bool]string{true: "b", false: "a"}[id == "wl_3"]
			filter := monitoring.EventFilter{Watchlist: id}
			p := testkit.Must(db.Feed(t.Context(), account, monitoring.EventCursor{}, filter, 10))
			if len(p.Events) != want || want == 1 && p.Events[0].Data.Statement.Year != 2025 {
				t.Errorf("the watch-list %s has the events %+v, want %d", id, p.Events, want)
			}
		}
		if got := db.queued(t, 1); !slices.Equal(got, []string{"wh_absent"}) {
			t.Errorf("the event is queued for %q", got)
		}
	})
}

// However many processes find an absence, and however often, there is one event for each company and year.
func TestAbsenceOnce(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		list(t, db, "a", 1, monitoring.SetOf(monitoring.StatementAbsent), acme)
		db.paidBy(t, "a", acme)
		later := watch.StatementCheck{Company: acme, Next: november.Add(time.Hour)}
		record := func(year int, c watch.StatementCheck) {
			if _, err := db.RecordStatements(t.Context(), year, []watch.StatementCheck{c}); err != nil {
				t.Error(err)
			}
		}

		record(2025, later)
		var edges sync.WaitGroup
		for range 4 {
			edges.Go(func() { record(2025, absence(acme, 2025)) })
		}
		edges.Wait()
		record(2025, later)
		record(2025, absence(acme, 2025))
		record(2026, absence(acme, 2026))
		record(2025, absence(acme, 2025)) // by a process whose clock is behind

		p := testkit.Must(db.Changes(t.Context(), monitoring.EventCursor{}, monitoring.EventFilter{}, 10))
		var years []int
		for _, e := range p.Events {
			years = append(years, e.Data.Statement.Year)
		}
		if !slices.Equal(years, []int{2025, 2026}) {
			t.Errorf("there are events for the years %d", years)
		}
	})
}

// A watch-list that is deleted during a check gets no event. If the company is watched again, it is checked again.
func TestAbsenceForADeletedList(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		named := monitoring.SetOf(monitoring.StatementAbsent)
		list(t, db, "a", 1, named, acme)
		db.paidBy(t, "a", acme)
		testkit.NoError(t, db.DeleteList(t.Context(), "a", "wl_1"))
		added, err := db.RecordStatements(t.Context(), 2025, []watch.StatementCheck{absence(acme, 2025)})
		if got := changes(t, db); added || err != nil || got != nil {
			t.Errorf("recorded %q: %t, %v", got, added, err)
		}

		list(t, db, "a", 2, named, acme)
		if due := dueStatements(t, db, 2025, november); !slices.Equal(due, []ro.CUI{acme}) {
			t.Errorf("%v are due, want %v", due, acme)
		}

		n := testkit.Must(database.One[int](t.Context(), db.Reader, "counting", nil, `SELECT COUNT(*) FROM statement_checks`))
		if n != 0 {
			t.Errorf("%d checks are stored", n)
		}
	})
}
