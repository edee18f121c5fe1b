package words

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// places is a small country, in its own order.
var places = []Entry{
	{Names: []string{"Alfa-Mare"}, Context: []string{"mun municipiul", "jud Beta BT"}},
	{Names: []string{"Râul Alb"}, Context: []string{"com sat", "jud Beta BT"}},
	{Names: []string{"Alfa"}, Context: []string{"sat", "jud Gama GM", "com Dealu"}},
	{Names: []string{"Alfa"}, Context: []string{"sat", "jud Beta BT", "com Râul Alb"}},
	{Names: []string{"Valea Alfei"}, Context: []string{"sat", "jud Gama GM"}},
	{Names: []string{"Noua Alfa"}, Context: []string{"sat", "jud Gama GM"}},
	{Names: []string{"Ștefan 3", "S3"}, Context: []string{"sat", "jud Gama GM"}},
}

func TestFind(t *testing.T) {
	x := NewIndex(places)
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"exact, then beginning, then containing", "alfa", []string{"2 Alfa", "3 Alfa", "0 Alfa-Mare", "5 Noua Alfa"}},
		{"last word incomplete", "alf", []string{"0 Alfa-Mare", "2 Alfa", "3 Alfa", "4 Valea Alfei", "5 Noua Alfa"}},
		{"words in any order", "mare alfa", []string{"0 Alfa-Mare"}},
		{"another name", "s3", []string{"6 Ștefan 3"}},
		{"cedilla", "ŞTEFAN", []string{"6 Ștefan 3"}},
		{"older spelling", "rîul", []string{"1 Râul Alb"}},
		{"older spelling without diacritics", "riul alb", []string{"1 Râul Alb"}},
		{"kind beside the name", "mun. alfa", []string{"0 Alfa-Mare"}},
		{"county beside the name", "alfa, jud. Beta", []string{"3 Alfa", "0 Alfa-Mare"}},
		{"code beside the name", "alfa gm", []string{"2 Alfa", "5 Noua Alfa"}},
		{"context alone finds nothing", "beta", []string{}},
		{"spaces left out", "alfamare", []string{"0 Alfa-Mare"}},
		{"spaces left out, not finished", "noual", []string{"5 Noua Alfa"}},
		{"every word incomplete", "no alf", []string{"5 Noua Alfa"}},
		{"letter missing", "stefn", []string{"6 Ștefan 3"}},
		{"letter too many", "valeea alfei", []string{"4 Valea Alfei"}},
		{"another letter", "mabe alfa", []string{"0 Alfa-Mare"}},
		{"neighbours changed", "aflei", []string{"4 Valea Alfei"}},
		{"error beside a county", "aalfa gm", []string{"2 Alfa", "5 Noua Alfa"}},
		{"two errors", "stfn", []string{}},
		{"digits are not mistyped", "stefan 4", []string{}},
		{"no word at all", "--", []string{}},
		{"far too many words", strings.Repeat("alfa no ", 200), []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := []string{}
			for _, i := range x.Find(c.text, x.All(), true).Page(10, 0) {
				got = append(got, fmt.Sprint(i, " ", places[i].Names[0]))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q finds %q, want %q", c.text, got, c.want)
			}
		})
	}
}

func TestErrorsAreForgivenOnlyOnRequest(t *testing.T) {
	x := NewIndex(places)
	if n := x.Find("stefn", x.All(), false).Len(); n != 0 {
		t.Errorf("%d entries found with a typing error", n)
	}
}

func TestOnlyTheGivenSetIsSearched(t *testing.T) {
	x := NewIndex(places)
	within := NewSet(len(places))
	within.Set(5)
	for _, text := range []string{"alfa", "alfa gm", "noualfa", "no al", "alfaa"} {
		for _, i := range x.Find(text, within, true).Page(10, 0) {
			if i != 5 {
				t.Errorf("%q finds entry %d, which is not in the set", text, i)
			}
		}
	}
}

func TestPagesNeitherOverlapNorLeaveOut(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var all []int
	r := Ranking{}
	for first := 0; first < 700; first += 137 { // five tiers, some words of them empty
		tier := NewSet(700)
		for i := first; i < first+137 && i < 700; i++ {
			if random.IntN(3) == 0 {
				tier.Set(uint(i))
				all = append(all, i)
			}
		}

		r.tiers = append(r.tiers, tier, NewSet(700))
	}

	for _, limit := range []int{1, 7, 64, 100, 1000} {
		var got []int
		for offset := 0; offset < len(all)+limit; offset += limit {
			got = append(got, r.Page(limit, offset)...)
		}
		if !slices.Equal(got, all) {
			t.Errorf("pages of %d give %d numbers of %d, or others", limit, len(got), len(all))
		}
	}

	if page := r.Page(10, 999_999); page == nil || len(page) != 0 {
		t.Errorf("the page beyond the end is %v", page)
	}
}

func TestOneErrorApart(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"iasi", "iasi", false}, {"iasi", "iai", true}, {"iasi", "iassi", true}, {"iasi", "iaxi", true},
		{"iasi", "isai", true}, {"iasi", "aisi", true}, {"iasi", "iais", true}, {"iasi", "siai", false},
		{"iasi", "ia", false}, {"", "a", true}, {"ab", "ba", true}, {"abc", "cba", false},
	} {
		if got := oneErrorApart(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %t", c.a, c.b, got)
		}
		if got := oneErrorApart(c.b, c.a); got != c.want {
			t.Errorf("%q and %q: %t", c.b, c.a, got)
		}
	}
}
