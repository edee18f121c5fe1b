package search

import (
	"math/rand/v2"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/ro"
)

// statuses packs the searchable statuses: 0 is unknown, 1 false and 2 true.
func statuses(values ...int) (packed history.Statuses) {
	for i, value := range values {
		if value != 0 {
			packed = packed.With(searchable[i], new(value == 2))
		}
	}
	return packed
}

func TestSearchByStatuses(t *testing.T) {
	firms := make([]Firm, 500)
	byID := make(map[ro.CUI]history.Statuses)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range firms {
		firms[i] = Firm{TaxID: ro.CUI(9_900_000_000 + i), Name: "EXEMPLU", County: 1 + i%3, State: company.InOperation}
		if i%4 != 0 {
			byID[firms[i].TaxID] = statuses(1+random.IntN(2), random.IntN(3), random.IntN(3))
		}
	}

	firms = append(firms, Firm{TaxID: firms[1].TaxID, Name: "EXEMPLU TWICE", County: 1})
	x := built(t, firms...)

	looks := NewLooks()
	for range 2 {
		for id, s := range byID {
			x.Learn(looks, id, statuses(1, 1, 1)) // was learned before
			if x.Learn(looks, id, s); x.Learn(looks, id, s) {
				t.Fatal("the same is new twice")
			}
		}
	}

	x.Learn(looks, 9_900_000_499, statuses(2, 0, 0))
	x.Learn(looks, 9_900_000_499, 0) // a look that said nothing
	x.Learn(looks, 9_900_000_499, history.Statuses(0).With(history.VATSplit, new(true)))
	delete(byID, 9_900_000_499)
	x.Learn(looks, 1, statuses(2, 2, 2)) // is not in the register

	for n := range 27 {
		want := statuses(n%3, n/3%3, n/9)
		total, unknown := 0, 0
		for i := range firms {
			f := &firms[i]
			if f.County != 1 {
				continue
			}

			s, looked := byID[f.TaxID]
			matches := true
			for _, status := range searchable {
				matches = matches && (want.Of(status) == nil || s.Is(status, *want.Of(status)))
			}
			if matches {
				total++
			}
			if !looked {
				unknown++
			}
		}

		if want == 0 {
			unknown = 0
		}

		for _, text := range []string{"", "exemplu"} {
			page, err := x.Search(t.Context(), Query{Text: text, County: 1, Statuses: want, Looks: looks, Limit: 500})
			if err != nil || page.Total != total || page.Unknown != unknown || len(page.Firms) != total {
				t.Errorf("%q %v: %d of %d firms, %d not looked at, %v; want %d and %d", text, want,
					len(page.Firms), page.Total,
					page.Unknown, err, total, unknown)
			}

			for i, f := range page.Firms {
				if _, looked := byID[f.TaxID]; page.LookedUp[i] != looked {
					t.Errorf("%q %v: firm %d was looked at: %v", text, want, f.TaxID, page.LookedUp[i])
				}

				for _, status := range searchable {
					if is := want.Of(status); is != nil && !byID[f.TaxID].Is(status, *is) {
						t.Errorf("%q %v: found %d", text, want, f.TaxID)
					}
				}
			}
		}
	}
}

func TestCloneOfLooksDoesNotChange(t *testing.T) {
	x := built(t, Firm{TaxID: 9900000010, Name: "EXEMPLU"})
	looks := NewLooks()
	clone := looks.Clone()
	x.Learn(looks, 9900000010, statuses(2, 0, 0))
	page, err := x.Search(t.Context(), Query{Statuses: statuses(2, 0, 0), Looks: clone, Limit: 1})
	if err != nil || page.Total != 0 || page.Unknown != 1 {
		t.Errorf("%+v, %v", page, err)
	}
}
