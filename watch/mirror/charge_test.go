package mirror

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/databases"
	"github.com/rodata/rodata/watch"
	"github.com/rodata/rodata/watch/store"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// purse holds the credits of accounts.
type purse struct {
	left    map[string]int
	charges []int
	fails   error // the error of a charge
}

func (p *purse) Reserve(_ context.Context, account string, credits int) (Payment, error) {
	if p.left[account] == 0 {
		return nil, nil
	}
	return &held{p, account, min(credits, p.left[account])}, nil
}

type held struct {
	*purse
	account string
	credits int
}

func (h *held) Credits() int { return h.credits }

func (h *held) Settle(_ context.Context, credits int) error {
	if h.fails == nil {
		h.left[h.account] -= credits
		h.charges = append(h.charges, credits)
	}
	return h.fails
}

func (*held) Release() {}

// charged returns a mirror over a real store, whose accounts have the given credits.
func charged(t *testing.T, credits map[string]int) (*Mirror, *purse, *store.DB) {
	t.Helper()
	observations := databases.Open(t, filepath.Join(t.TempDir(), "history.db"), historystore.Open)
	db := testkit.Must(store.Open(t.Context(), observations))
	p := &purse{left: credits}
	return New(Options{Store: db, Payer: p, Wake: func() {}, Log: slog.New(slog.DiscardHandler)}), p, db
}

func watchlist(t *testing.T, db *store.DB, account string, ordinal int, companies ...ro.CUI) {
	t.Helper()
	err := database.Exec(t.Context(), db.Writer,
		`INSERT INTO watchlists (ordinal, id, account, name, kinds, digest, every, feed_token, created_at)
		VALUES ($1, $2, $3, 'list', $4, 'none', 'day', $5,
		0)`, ordinal, fmt.Sprintf("wl_%d", ordinal), account, int64(monitoring.DefaultEvents), fmt.Sprint(ordinal))
	for _, c := range companies {
		if err == nil {
			err = database.Exec(t.Context(), db.Writer,
				`INSERT INTO watched (list, company, account, added_at) VALUES ($1, $2, $3, 0)`, ordinal,
				int64(c), account)
		}
	}

	testkit.NoError(t, err)
}

func wantPaid(t *testing.T, m *Mirror, at time.Time, companies, want []ro.CUI) {
	t.Helper()
	paid, err := m.chargeFor(t.Context(), slices.Clone(companies), at)
	if err != nil || !slices.Equal(paid, want) {
		t.Errorf("%d of %d are paid, %v, want %d", companies, paid, err, want)
	}
}

func TestMonthIsChargedOnceForAnAccountAndCompany(t *testing.T) {
	m, p, db := charged(t, map[string]int{"a": 100, "b": 100})
	watchlist(t, db, "a", 1, 1, 2, 3)
	watchlist(t, db, "a", 2, 2, 3, 4)
	watchlist(t, db, "b", 3, 4)
	all := []ro.CUI{1, 2, 3, 4}
	for range 2 {
		wantPaid(t, m, noon, all, all)
	}
	if !slices.Equal(p.charges, []int{4, 1}) {
		t.Errorf("charged %d, want one charge for each account", p.charges)
	}

	wantPaid(t, m, noon.AddDate(0, 1, 0), all, all)
	if p.left["a"] != 92 || p.left["b"] != 98 {
		t.Errorf("after two months, %v are left", p.left)
	}
}

func TestUnpaidAccountIsNotifiedOnce(t *testing.T) {
	m, p, db := charged(t, map[string]int{"a": 2, "b": 9})
	watchlist(t, db, "a", 1, 1, 2, 3)
	watchlist(t, db, "b", 2, 3, 4)
	wantPaid(t, m, noon, []ro.CUI{1, 2, 3}, []ro.CUI{1, 2, 3}) // b pays for 3
	wantPaid(t, m, noon, []ro.CUI{1, 2, 4}, []ro.CUI{1, 2, 4})

	events := func(want int) {
		t.Helper()
		page, err := db.Feed(t.Context(), "a", monitoring.EventCursor{}, monitoring.EventFilter{}, 10)
		if err != nil || len(page.Events) != want {
			t.Errorf("got the events %v, %v, want %d", page.Events, err, want)
		}
	}
	events(1)
	if debts, err := db.Debts(t.Context(), "a", 202611, 10); err != nil || !slices.Equal(debts, []ro.CUI{3}) {
		t.Errorf("debts are %d, %v", debts, err)
	}

	for range 2 { // the second time, nothing has changed
		testkit.NoError(t, m.collectDebts(t.Context(), noon))
	}

	events(1)
	p.left["a"] = 5 // a larger plan
	testkit.NoError(t, m.collectDebts(t.Context(), noon))
	if debtors, err := db.Debtors(t.Context()); err != nil || len(debtors) != 0 || p.left["a"] != 4 {
		t.Errorf("debtors are %q, %v, with %d credits left", debtors, err, p.left["a"])
	}

	p.left["a"] = 0
	wantPaid(t, m, noon.AddDate(0, 1, 0), []ro.CUI{1, 2, 3}, []ro.CUI{3})
	events(2) // one more, for the next month
}

func TestChargeOfUnknownOutcomeIsNotRepeated(t *testing.T) {
	m, p, db := charged(t, map[string]int{"a": 9})
	watchlist(t, db, "a", 1, 1, 2)
	p.fails = fmt.Errorf("%w: the disk is full", metering.ErrUncertain)
	wantPaid(t, m, noon, []ro.CUI{1, 2}, []ro.CUI{1, 2})
	p.fails = nil
	wantPaid(t, m, noon, []ro.CUI{1, 2}, []ro.CUI{1, 2})
	if len(p.charges) != 0 {
		t.Errorf("charged %d", p.charges)
	}

	next := noon.AddDate(0, 1, 0)
	p.fails = metering.ErrExhausted // another process has used the credits
	wantPaid(t, m, next, []ro.CUI{1, 2}, []ro.CUI{})
	due, err := db.Unpaid(t.Context(), []ro.CUI{1, 2}, watch.MonthOf(next))
	if err != nil || len(due["a"]) != 2 {
		t.Errorf("unpaid are %v, %v", due, err)
	}
}

func TestFailedChargeIsRepeated(t *testing.T) {
	m, p, db := charged(t, map[string]int{"a": 9})
	watchlist(t, db, "a", 1, 1, 2)
	p.fails = metering.ErrClosed
	if paid, err := m.chargeFor(t.Context(), []ro.CUI{1, 2}, noon); !errors.Is(err, metering.ErrClosed) {
		t.Errorf("%d are paid, %v", paid, err)
	}

	p.fails = nil
	wantPaid(t, m, noon, []ro.CUI{1, 2}, []ro.CUI{1, 2})
	if !slices.Equal(p.charges, []int{2}) {
		t.Errorf("charged %d", p.charges)
	}
}
