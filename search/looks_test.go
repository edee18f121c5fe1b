package search

import (
	"math/rand/v2"
	"testing"

	"github.com/rodata/rodata/api/company"
)

func TestSearchByStatuses(t *testing.T) {
	firms := make([]Firm, 500)
	said := make(map[int64]Statuses)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range firms {
		firms[i] = Firm{TaxID: int64(9_900_000_000 + i), Name: "EXEMPLU", County: 1 + i%3, State: company.InOperation}
		if i%4 != 0 {
			said[firms[i].TaxID] = Statuses{Truth(1 + random.IntN(2)), Truth(random.IntN(3)), Truth(random.IntN(3))}
		}
	}

	firms = append(firms, Firm{TaxID: firms[1].TaxID, Name: "EXEMPLU TWICE", County: 1})
	x := built(t, firms...)

	looks := NewLooks()
	for range 2 {
		for id, s := range said {
			x.Learn(looks, id, Statuses{No, No, No}) // was learned before
			if x.Learn(looks, id, s); x.Learn(looks, id, s) {
				t.Fatal("the same is new twice")
			}
		}
	}

	x.Learn(looks, 9_900_000_499, Statuses{Yes})
	x.Learn(looks, 9_900_000_499, Statuses{}) // a look that said nothing
	delete(said, 9_900_000_499)
	x.Learn(looks, 1, Statuses{Yes, Yes, Yes}) // is not in the register

	for n := range 27 {
		want := Statuses{Truth(n % 3), Truth(n / 3 % 3), Truth(n / 9)}
		total, unknown := 0, 0
		for i := range firms {
			f := &firms[i]
			if f.County != 1 {
				continue
			}

			s, looked := said[f.TaxID]
			matches := true
			for status, truth := range want {
				matches = matches && (truth == 0 || s[status] == truth)
			}
			if matches {
				total++
			}
			if !looked {
				unknown++
			}
		}

		if want == (Statuses{}) {
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
				if _, looked := said[f.TaxID]; page.LookedUp[i] != looked {
					t.Errorf("%q %v: firm %d was looked at: %v", text, want, f.TaxID, page.LookedUp[i])
				}

				for status, truth := range want {
					if truth != 0 && said[f.TaxID][status] != truth {
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
	x.Learn(looks, 9900000010, Statuses{VATPayer: Yes})
	page, err := x.Search(t.Context(), Query{Statuses: Statuses{VATPayer: Yes}, Looks: clone, Limit: 1})
	if err != nil || page.Total != 0 || page.Unknown != 1 {
		t.Errorf("%+v, %v", page, err)
	}
}
