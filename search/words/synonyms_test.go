package words

import (
	"fmt"
	"slices"
	"testing"
)

// trades are activities in two groups, in their own order.
var trades = []Entry{
	{Names: []string{"1", "Repararea obiectelor", "Repair of objects"}},
	{Names: []string{"11", "Repararea încălțămintei"},
		Broader: []string{"Repararea obiectelor", "Repair of objects", "reparații"}},
	{Names: []string{"12", "Repararea autovehiculelor"},
		Broader: []string{"Repararea obiectelor", "Repair of objects", "reparații"}},
	{Names: []string{"2", "Comerț", "Trade"}},
	{Names: []string{"21", "Comerț cu încălțăminte"}, Broader: []string{"Comerț", "Trade", "magazin"}},
	{Names: []string{"22", "Comerț cu flori"}, Broader: []string{"Comerț", "Trade", "magazin"}},
}

var slang = []Phrase{
	{"pantofi", []int{4, 1}}, {"cizmărie", []int{1}}, {"magazin", []int{3}}, {"reparații", []int{0}},
	{"reparații auto", []int{2}},
	{"florărie", []int{5}}, {"traducere", []int{0}}, {"comerț", []int{5}}, {"porți", []int{2}}, {"port", []int{4}},
}

func TestFindWithPhrases(t *testing.T) {
	x := NewIndex(trades, slang...)
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"a phrase, the best first", "pantofi", []string{"21", "11"}},
		{"another form of it", "pantofilor", []string{"21", "11"}},
		{"the place for the trade", "florării", []string{"22"}},
		{"of several words", "reparatii auto", []string{"12"}},
		{"the beginning of a phrase", "cizmă", []string{"11"}},
		{"the beginning of its last word", "reparații aut", []string{"12"}},
		{"a phrase behind the whole name, before names that contain it", "comerț", []string{"2", "22", "21"}},
		{"names, without a phrase", "încălțăminte", []string{"11", "21"}},
		{"a phrase and a word of what is above", "magazin de pantofi", []string{"21"}},
		{"a phrase among other words", "pantofi ieftini", []string{"21", "11"}},
		{"a form of a name's word", "flori magazine", []string{"22", "2"}},
		{"a word of the same family", "traducător", []string{"1"}},
		{"too few letters in common", "trader", []string{}},
		{"words begun, then other forms of them", "comerțului flor", []string{"22"}},
		{"a form that two words share, as it is written", "port", []string{"21", "12"}},
		{"the other word", "porti", []string{"12", "21"}},
		{"such a word among others", "port ieftin", []string{"21", "12"}},
		{"nothing", "zzz", []string{}},
		{"mostly unknown words", "pantofi zz yy xx", []string{}},
		{"fillers alone", "de la", []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := []string{}
			for _, i := range x.Find(c.text, x.All(), false).Page(10, 0) {
				got = append(got, trades[i].Names[0])
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q finds %q, want %q", c.text, got, c.want)
			}
		})
	}
}

func TestPhrasesStayWithinTheSet(t *testing.T) {
	x := NewIndex(trades, slang...)
	within := NewSet(len(trades))
	within.Set(1)
	for _, text := range []string{"pantofi", "pantof", "magazin de pantofi", "reparații încălțăminte", "comerț"} {
		for _, i := range x.Find(text, within, false).Page(10, 0) {
			if i != 1 {
				t.Errorf("%q finds %s, which is not in the set", text, trades[i].Names[0])
			}
		}
	}

	if n := x.Find("pantofi", within, false).Len(); n != 1 {
		t.Errorf("%d entries", n)
	}
}

// TestPhrasesChangeNoNames verifies that matches by name come first and in the same order, with and without phrases.
func TestPhrasesChangeNoNames(t *testing.T) {
	plain, x := NewIndex(trades), NewIndex(trades, slang...)
	for _, text := range []string{"repararea", "rep", "încălțămintei rep", "2", "trade", "obj rep"} {
		want, got := plain.Find(text, plain.All(), false).Page(10, 0), x.Find(text, x.All(), false).Page(10, 0)
		if fmt.Sprint(got) != fmt.Sprint(want) || len(want) == 0 {
			t.Errorf("%q finds %v, without phrases %v", text, got, want)
		}
	}
}

func FuzzFindWithPhrases(f *testing.F) {
	for _, text := range []string{"pantofi", "magazin de pantofi", "traducător", "ş", "a\u0302", "reparații a",
		"шкода ремонт", "\xff\xfe", "pantofi pantofi pantofi"} {
		f.Add(text)
	}

	x := NewIndex(trades, slang...)
	f.Fuzz(func(t *testing.T, text string) {
		found := x.Find(text, x.All(), false)
		page := found.Page(len(trades), 0)
		slices.Sort(page)
		if distinct := slices.Compact(slices.Clone(page)); len(page) != found.Len() || len(distinct) != len(page) {
			t.Errorf("%q: %d found, on the page %v", text, found.Len(), page)
		}
	})
}
