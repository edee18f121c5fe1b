package search

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
)

// For every kind of query, the total, the firms and their order equal the results of an oracle that examines every
// firm. The index has 1,000 firms, 4,000 in a long run, or RODATA_TEST_FIRMS; with a million firms, the oracle takes
// seconds per query.
func TestSearchAgreesWithLookingAtEveryFirmLong(t *testing.T) {
	n, each := long.Length(t, 1000, 4000), 8
	if os.Getenv("RODATA_TEST_FIRMS") != "" {
		n, each = size(t), 2
	}

	x, o := indexOf(t, n), newOracle(t, n)
	r := rand.New(rand.NewPCG(2, 2))
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			for range each {
				q := k.make(r, o[r.IntN(len(o))].Firm)
				want := o.search(q)
				q.Offset %= max(1, len(want))
				got, err := x.Search(context.Background(), q)
				testkit.NoError(t, err)

				page := []string{}
				for _, f := range got.Firms {
					page = append(page, f.Number)
				}

				wanted := want[min(q.Offset, len(want)):min(q.Offset+q.Limit, len(want))]
				if got.Total != len(want) || !slices.Equal(page, wanted) {
					t.Fatalf("%+v found %d: %v\nwant %d: %v", q, got.Total, page, len(want), wanted)
				}
			}
		})
	}
}

func TestNumbersAsPeopleTypeThem(t *testing.T) {
	x := built(t,
		Firm{Name: "EXEMPLU UNU SRL", TaxID: 18, Number: "J40/1234/2019"},
		Firm{Name: "EXEMPLU DOI SRL", TaxID: 26, Number: "J2025007112004"},
		Firm{Name: "EXEMPLU J40 DIN 2019 SRL", TaxID: 34, Number: "J40/1235/2019"},
	)

	for text, want := range map[string]string{
		"ROONRC.J40/1234/2019":          "J40/1234/2019",
		"roonrc.J2019001234400":         "J40/1234/2019",
		"J40/1234/2019 din 05.12.2019":  "J40/1234/2019",
		"j40 / 1234 / 05.12.2019":       "J40/1234/2019",
		"ROONRC.J2025007112004":         "J2025007112004",
		"J2025007112004 din 03/02/2025": "J2025007112004",
		"RO 18":                         "J40/1234/2019",
		`="26"`:                         "J2025007112004",
	} {
		page, err := x.Search(t.Context(), Query{Text: text, Limit: 10})
		testkit.NoError(t, err)
		testkit.Equal(t, numbers(page.Firms), []string{want}, text)
	}
}

// Concurrent searches do not interfere, because they only read mapped memory. This test is for the race detector.
func TestManySearchAtOnce(t *testing.T) {
	x := indexOf(t, 4000)
	r := rand.New(rand.NewPCG(4, 4))
	var all []Query
	var want []Page
	for _, k := range kinds {
		q := k.make(r, x.At(r.Uint32N(uint32(x.Len()))))
		page, err := x.Search(context.Background(), q)
		testkit.NoError(t, err)

		all, want = append(all, q), append(want, page)
	}

	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for i, q := range all {
				page, err := x.Search(context.Background(), q)
				if err != nil || page.Total != want[i].Total ||
					!slices.Equal(numbers(page.Firms), numbers(want[i].Firms)) {
					t.Errorf("%+v finds %d (%v), and alone %d", q, page.Total, err, want[i].Total)
				}
			}
		})
	}

	callers.Wait()
}

// FuzzSearch checks that no text makes a search fail, and that each page has as many firms as its limit, its offset
// and the total imply.
func FuzzSearch(f *testing.F) {
	for _, text := range []string{"exemplu", "construct s.r.l.", "RO 14399840", "J40/1/2001", "â î \xff",
		"a b c d e f g h i j"} {
		f.Add(text, 12, "Cluj-Napoca", 0)
	}

	x := indexOf(f, 500)
	f.Fuzz(func(t *testing.T, text string, county int, city string, offset int) {
		if !utf8.ValidString(text) || offset < 0 || offset > 999_999 {
			return
		}

		for _, sort := range []string{"", "name", "registrationDate", "taxId"} {
			q := Query{Text: text, County: county, City: city, Limit: 100, Offset: offset, Sort: company.SortBy(sort)}
			page, err := x.Search(context.Background(), q)
			if err != nil {
				t.Fatalf("%+v: %v", q, err)
			}
			if got, want := len(page.Firms), min(q.Limit, max(0, page.Total-offset)); got != want {
				t.Errorf("%+v finds %d and gives %d firms, want %d", q, page.Total, got, want)
			}
		}
	})
}
