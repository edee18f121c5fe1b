package store

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/watch"
)

func TestMonthIsPaidOnce(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		pay := func(account string, companies ...ro.CUI) []ro.CUI {
			t.Helper()
			due := testkit.Must(db.MarkPaid(t.Context(), account, companies, 202611, nil))
			slices.Sort(due)
			return due
		}

		if due := pay("a", 3, 1, 3, 2); !slices.Equal(due, []ro.CUI{1, 2, 3}) {
			t.Errorf("due at first: %d", due)
		}
		if due := pay("a", 2, 4); !slices.Equal(due, []ro.CUI{4}) {
			t.Errorf("due with one more: %d", due)
		}
		if due := pay("b", 2); !slices.Equal(due, []ro.CUI{2}) {
			t.Errorf("due of another account: %d", due)
		}
		testkit.NoError(t, db.Unpay(t.Context(), "a", []ro.CUI{1, 4}, 202611))
		if due := pay("a", 1, 2, 3, 4); !slices.Equal(due, []ro.CUI{1, 4}) {
			t.Errorf("due after Unpay: %d", due)
		}

		due, err := db.MarkPaid(t.Context(), "a", []ro.CUI{1, 2}, 202612, nil)
		if err != nil || len(due) != 2 {
			t.Errorf("due in the next month: %d, %v", due, err)
		}
	})
}

func TestFailedPaymentMarksNothing(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		exhausted := errors.New("exhausted")
		asked := 0
		_, err := db.MarkPaid(t.Context(), "a", []ro.CUI{1, 2}, 202611, func(due int) error {
			asked = due
			return exhausted
		})
		if !errors.Is(err, exhausted) || asked != 2 {
			t.Errorf("agree was called with %d, %v", asked, err)
		}
		if due, err := db.MarkPaid(t.Context(), "a", []ro.CUI{1, 2}, 202611, nil); len(due) != 2 || err != nil {
			t.Errorf("due afterwards: %d, %v", due, err)
		}
	})
}

func TestManyPayAtOnce(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		companies := make([]ro.CUI, 250)
		for i := range companies {
			companies[i] = ro.CUI(i + 1)
		}

		var mu sync.Mutex
		var due []ro.CUI
		var calls sync.WaitGroup
		for i := range 8 {
			calls.Go(func() {
				mine := slices.Clone(companies)
				if i%2 == 0 {
					slices.Reverse(mine)
				}

				some, err := db.MarkPaid(t.Context(), "a", mine, 202611, nil)
				if err != nil {
					t.Error(err)
				}

				mu.Lock()
				defer mu.Unlock()
				due = append(due, some...)
			})
		}

		calls.Wait()

		slices.Sort(due)
		if !slices.Equal(due, companies) {
			t.Errorf("%d are due, want each of %d once", len(due), len(companies))
		}
	})
}

func TestUnpaidWatchlists(t *testing.T) {
	forStores(t, func(t *testing.T, db *DB) {
		ctx := t.Context()
		list(t, db, "a", 1, monitoring.DefaultEvents, 1, 2)
		list(t, db, "a", 2, monitoring.DefaultEvents, 2)
		list(t, db, "a", 3, monitoring.DefaultEvents, 3)
		list(t, db, "a", 4, monitoring.SetOf(monitoring.NameChanged), 1)
		list(t, db, "b", 5, monitoring.DefaultEvents, 1)
		pay(t, db, "a", 202611, 3)
		pay(t, db, "b", 202611, 1)

		due, err := db.Unpaid(ctx, []ro.CUI{1, 2, 3}, 202611)
		if err != nil || !slices.Equal(slices.Collect(maps.Keys(due)), []string{"a"}) ||
			!slices.Equal(due["a"], []ro.CUI{1, 2}) {
			t.Errorf("unpaid are %v, %v", due, err)
		}
		if paid, err := db.Paid(ctx, []ro.CUI{1, 2, 3}, 202611); err != nil ||
			!maps.Equal(paid, map[ro.CUI]bool{1: true, 3: true}) {
			t.Errorf("paid are %v, %v", paid, err)
		}

		for range 2 { // the second call writes no event
			testkit.Must(db.SetUnpaid(ctx, "a", 202611, noon))
		}

		page, err := db.Feed(ctx, "a", monitoring.EventCursor{}, monitoring.EventFilter{}, 100)
		if err != nil || len(page.Events) != 2 {
			t.Fatalf("got %v, %v, want events for the two lists that select this kind", page.Events, err)
		}

		for i, id := range []string{"wl_1", "wl_2"} {
			if e := page.Events[i]; e.Type != monitoring.WatchlistUnpaid || e.Data.Watchlist == nil ||
				*e.Data.Watchlist != id || e.Data.TaxID != nil {
				t.Errorf("got the event %+v", e)
			}
		}

		if debts, err := db.Debts(ctx, "a", 202611, 10); err != nil || !slices.Equal(debts, []ro.CUI{1, 2}) {
			t.Errorf("debts are %d, %v", debts, err)
		}

		pay(t, db, "a", 202611, 2)
		clear := func(month watch.Month, want ...string) {
			t.Helper()
			testkit.NoError(t, db.ClearUnpaid(ctx, "a", month))
			if debtors, err := db.Debtors(ctx); err != nil || !slices.Equal(debtors, want) {
				t.Errorf("debtors are %q, %v, want %q", debtors, err, want)
			}
		}
		clear(202611, "a") // company 1 is still unpaid
		// Unpaid companies are not looked at for the account, but the looks for others still reach its lists.
		addEvents(t, db, event(1))
		page, err = db.Feed(ctx, "a", end(monitoring.FeedOf("a"), page.Events[1].Cursor.Number),
			monitoring.EventFilter{}, 100)
		if err != nil || len(page.Events) != 1 || page.Events[0].Type != monitoring.VATCancelled ||
			*page.Events[0].Data.Watchlist != "wl_1" {
			t.Errorf("after the look for another account, the unpaid account gets %v, %v", page.Events, err)
		}
		if added, err := db.SetUnpaid(ctx, "a", 202611, noon); err != nil || added != 0 {
			t.Errorf("got %d more events, %v", added, err)
		}

		clear(202612)
	})
}
