package search

import (
	"context"
	"slices"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/testkit"
)

func TestNameWithAPlace(t *testing.T) {
	x := built(t,
		Firm{Name: "EXEMPLU TRANSILVAN SRL", Number: "1", County: 12, City: "Cluj-Napoca", State: company.InOperation},
		Firm{Name: "EXEMPLU TRANSILVAN SRL", Number: "2", County: 12, City: "Dej"},
		Firm{Name: "EXEMPLU TRANSILVAN SRL", Number: "3", County: 22, City: "Iași"},
		Firm{Name: "EXEMPLU CLUJ SRL", Number: "4", County: 22, City: "Iași"},
		Firm{Name: "TRANSILVAN LASI SRL", Number: "7", County: 12, City: "Dej"},
		Firm{Name: "C.F.R. IMAGINAR SA", Number: "5", County: 22, City: "Pașcani"},
		Firm{Name: "IMAGINAR SEVERIN SRL", Number: "6", County: 25, City: "Drobeta-Turnu Severin"},
	)
	place := func(words string) (county int, city string) {
		switch words {
		case "cluj":
			return 12, ""
		case "iasi":
			return 22, "Iași"
		case "cluj napoca", "drobeta turnu severin", "severin":
			return 0, words
		}
		return 0, ""
	}
	for name, c := range map[string]struct {
		text   string
		county int
		want   []string
	}{
		"a county":                       {"exemplu transilvan cluj", 0, []string{"1", "2"}},
		"a city of two words":            {"exemplu transilvan cluj-napoca", 0, []string{"1"}},
		"a city of three words":          {"imaginar drobeta turnu severin", 0, []string{"6"}},
		"a city, before typing errors":   {"transilvan iasi", 0, []string{"3"}},
		"elsewhere in the county":        {"cfr imaginar iasi", 0, []string{"5"}},
		"after a legal form":             {"Exemplu Transilvan S.R.L., Iași", 0, []string{"3"}},
		"after a preposition":            {"exemplu transilvan din iasi", 0, []string{"3"}},
		"names come first":               {"exemplu cluj", 0, []string{"4"}},
		"errors where no place is named": {"exemplu dluj", 0, []string{"4"}},
		"a typing error in the name":     {"exemplu transilvn iasi", 0, []string{"3"}},
		"a filter counts as well":        {"exemplu transilvan cluj", 22, nil},
		"no such name there":             {"imaginar cluj", 0, nil},
		"a place alone is a name":        {"iasi", 0, []string{"7"}},
	} {
		t.Run(name, func(t *testing.T) {
			page, err := x.Search(context.Background(), Query{Text: c.text, Place: place, County: c.county, Limit: 10})
			testkit.NoError(t, err)
			if got := numbers(page.Firms); !slices.Equal(got, c.want) || page.Total != len(c.want) {
				t.Errorf("%q finds %v, want %v", c.text, got, c.want)
			}
		})
	}
}
