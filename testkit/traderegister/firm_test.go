package traderegister

import (
	"slices"
	"testing"

	"github.com/rodata/rodata/ro"
)

func TestFirmsOfOneSeedAreTheSame(t *testing.T) {
	few, many := slices.Collect(Firms(50, 7)), slices.Collect(Firms(100, 7))
	for i := range few {
		if few[i].Name != many[i].Name || few[i].CUI != many[i].CUI || few[i].Number != many[i].Number ||
			few[i].Registered != many[i].Registered {
			t.Fatalf("firm %d is %+v among 50 and %+v among 100", i, few[i], many[i])
		}
	}
}

func TestFirmsAreOfAllKinds(t *testing.T) {
	counties, forms, numbers, cuis := map[int]bool{}, map[string]bool{}, map[string]bool{}, map[ro.CUI]int{}
	const n = 20_000
	for f := range Firms(n, 1) {
		counties[f.Place.CountyID], forms[f.Form], numbers[f.Number] = true, true, true
		if f.CUI != 0 {
			if cuis[f.CUI]++; !f.CUI.Valid() {
				t.Fatalf("%v has a wrong control digit", f.CUI)
			}
		}
	}

	if len(counties) != 42 || len(forms) < 12 || len(numbers) != n {
		t.Errorf("%d counties, %d forms, %d numbers of %d firms", len(counties), len(forms), len(numbers), n)
	}
	if shared := n - n/50 - len(cuis); shared < n/60 || shared > n/30 {
		t.Errorf("%d of %d firms share a CUI", shared, n)
	}
}
