package bnr

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// TestPublicationsAreTheBanks verifies that publications have the same days and texts as the bank's own files, also
// after they have been read back from disk.
func TestPublicationsAreTheBanks(t *testing.T) {
	bank := newStandIn(fixed("2026-08-20 10:00")).inventAll(date("2026-08-19"))
	for _, f := range facts(t) {
		if f.day.Year() <= 2022 {
			bank.fixings[f.day] = nil
		}
	}

	for _, f := range facts(t) {
		if f.day.Year() <= 2022 {
			bank.fixings[f.day] = append(bank.fixings[f.day], quote{f.currency, f.multiplier, f.published})
		}
	}

	dir := t.TempDir()
	answers := func(t *testing.T) {
		r := open(t, Options{Client: connect(t, bank), Dir: dir, Now: bank.now})
		newest, fresh, err := r.Newest(t.Context(), 10)
		if err != nil || len(newest.Fixings) != 10 || newest.Fixings[9].Date != date("2026-08-19") ||
			newest.Fixings[0].Date != date("2026-08-06") {
			t.Fatalf("the last ten fixings: %v, %v", newest.Fixings, err)
		}
		if fresh.Cache == "" || newest.Modified.IsZero() {
			t.Errorf("freshness %+v, modified %s", fresh, newest.Modified)
		}
		if one, _, err := r.Newest(t.Context(), 1); err != nil || len(one.Fixings) != 1 ||
			one.Fixings[0].Date != date("2026-08-19") {
			t.Errorf("the last fixing: %v, %v", one.Fixings, err)
		}

		for year := 2005; year <= 2026; year++ {
			published, _, err := r.OfYear(t.Context(), year)
			if err != nil {
				t.Fatalf("%d: %v", year, err)
			}

			i := 0
			for day := ro.NewDate(year, time.January, 1); day <= ro.NewDate(year, time.December, 31); day++ {
				quotes := bank.fixings[day]
				if len(quotes) == 0 || day > date("2026-08-19") {
					continue
				}
				if i == len(published.Fixings) || published.Fixings[i].Date != day {
					t.Fatalf("%d lacks the fixing of %s", year, day)
				}

				for _, q := range quotes {
					quoted, _ := rateOf(published.Fixings[i], ro.Currency(q.currency))
					text, units := rate.Rate{Currency: ro.Currency(q.currency), Rate: quoted}.Published()
					if text != q.text || q.multiplier != "" && fmt.Sprint(units) != q.multiplier {
						t.Errorf("%s of %s is published as %s for %d, want %s for %s", q.currency, day, text, units,
							q.text, q.multiplier)
					}
				}

				i++
			}

			if i != len(published.Fixings) {
				t.Errorf("%d has %d fixings, want %d", year, len(published.Fixings), i)
			}
		}
	}

	t.Run("from the bank", answers)
	bank.fail(down)
	t.Run("from disk", answers)
}

func TestYearsWithoutFixings(t *testing.T) {
	bank := newStandIn(fixed("2026-01-02 10:00")).inventAll(date("2026-01-02"))
	r := open(t, Options{Client: connect(t, bank), Now: bank.now})
	for _, year := range []int{1999, 2004, 2026, 2027} {
		if _, _, err := r.OfYear(t.Context(), year); !errors.Is(err, op.ErrUnknown) {
			t.Errorf("%d: %v, want ErrUnknown", year, err)
		}
	}
}
