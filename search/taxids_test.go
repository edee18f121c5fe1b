package search

import (
	"slices"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
)

func TestTaxIDs(t *testing.T) {
	x := built(t,
		Firm{TaxID: 9900000036, Name: "C", State: company.InOperation},
		Firm{TaxID: 9900000010, Name: "D", State: company.StruckOff},
		Firm{TaxID: 9900000010, Name: "A", State: company.InOperation},
		Firm{TaxID: 9900000028, Name: "B", State: company.StruckOff},
		Firm{Name: "E", State: company.InOperation},
	)
	for _, c := range []struct {
		after     ro.CUI
		operating bool
		limit     int
		want      []ro.CUI
	}{
		{0, false, 9, []ro.CUI{9900000010, 9900000028, 9900000036}},
		{0, true, 9, []ro.CUI{9900000010, 9900000036}},
		{0, false, 2, []ro.CUI{9900000010, 9900000028}},
		{9900000010, false, 9, []ro.CUI{9900000028, 9900000036}},
		{9900000011, true, 9, []ro.CUI{9900000036}},
		{9900000036, false, 9, nil},
	} {
		if got := x.TaxIDs(c.after, c.operating, c.limit); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %d", c, got)
		}
	}

	if !x.IsListed(9900000028, false) || x.IsListed(9900000028, true) || !x.IsListed(9900000010, true) ||
		x.IsListed(9900000044, false) {
		t.Error("Listed disagrees with TaxIDs")
	}
	if all, operating := x.Count(false), x.Count(true); all != 4 || operating != 2 {
		t.Errorf("%d firms, %d in operation", all, operating)
	}
}
