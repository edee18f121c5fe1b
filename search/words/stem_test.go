package words

import "testing"

func TestStem(t *testing.T) {
	for stem, forms := range map[string][]string{
		"frizer":    {"frizer", "frizeri", "frizerie", "frizerii", "frizeria", "frizeriile", "frizeriei", "frizerilor"},
		"florar":    {"florar", "florari", "florarie", "florarii", "florariilor"},
		"flor":      {"flori", "floare", "florilor", "florile"},
		"croitor":   {"croitor", "croitorie", "croitoreasa", "croitorese", "croitorii"},
		"magazin":   {"magazin", "magazine", "magazinul", "magazinului", "magazinele", "magazinelor"},
		"bar":       {"bar", "baruri", "barul", "barurile", "barurilor", "bars"},
		"avocat":    {"avocat", "avocati", "avocata", "avocatul", "avocatilor"},
		"telefon":   {"telefon", "telefoane", "telefoanele", "telefoanelor"},
		"inchirier": {"inchirieri", "inchiriere", "inchirierea"},
		"bakery":    {"bakery", "bakeries"},
		"dress":     {"dress", "dresses"},
		"shop":      {"shop", "shops"},
		"bus":       {"bus"},
		"taxi":      {"taxi", "taxiuri"},
		"vin":       {"vin", "vinuri"},
		"spa":       {"spa"},
		"it":        {"it"},
		"":          {""},
	} {
		for _, form := range forms {
			if got := Stem(form); got != stem {
				t.Errorf("the stem of %q is %q, want %q", form, got, stem)
			}
		}
	}
}
