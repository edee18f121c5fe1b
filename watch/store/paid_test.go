package store

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
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
