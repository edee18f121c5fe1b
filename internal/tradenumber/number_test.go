package tradenumber

import "testing"

func TestSpellings(t *testing.T) {
	// Pairs published by the register or by the authors of python-stdnum.
	tests := map[string]struct{ old, new string }{
		"Bucharest":                 {"J40/15812/2017", "J2017015812405"},
		"a county below 40":         {"J23/6841/2022", "J2022006841234"},
		"a small serial":            {"J20/3/2023", "J2023000003206"},
		"a county above 50":         {"J52/750/2012", "J2012000750528"},
		"a cooperative, old county": {"C04/7/2005", "C2005000007045"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			old, okOld := Parse(test.old)
			young, okNew := Parse([]byte(test.new))
			if !okOld || !okNew || old != young || old.Key() != young.Key() {
				t.Fatalf("%s is %+v (%t), %s is %+v (%t)", test.old, old, okOld, test.new, young, okNew)
			}
			if old.Old() != test.old || old.New() != test.new {
				t.Errorf("written %s and %s, want %s and %s", old.Old(), old.New(), test.old, test.new)
			}
		})
	}
}

func TestParse(t *testing.T) {
	tests := map[string]struct {
		text string
		want Number
		ok   bool
	}{
		"lower case and spaces":     {" j 3/176/2018 ", Number{'J', 3, 176, 2018}, true},
		"a whole day for the year":  {"J05/1729/09.09.1991", Number{'J', 5, 1729, 1991}, true},
		"a day after the year":      {"J40/1234/2019 din 05.12.2019", Number{'J', 40, 1234, 2019}, true},
		"a day with a phrase":       {"ROONRC.J40/1/2019 din data de 05/12/2019", Number{'J', 40, 1, 2019}, true},
		"a day after the new form":  {"J2017015812405 DIN 2017-09-27", Number{'J', 40, 15812, 2017}, true},
		"a word for a day":          {"J40/1234/2019 din București", Number{}, false},
		"a day without a number":    {"din 05.12.2019", Number{}, false},
		"a day cut short":           {"J40/1234/2019 din 05.12", Number{}, false},
		"without a county":          {"J2025007112004", Number{'J', 0, 7112, 2025}, true},
		"a European identifier":     {"roonrc.J40/1116/1991", Number{'J', 40, 1116, 1991}, true},
		"one of the new format":     {"ROONRC.J2025007112004", Number{'J', 0, 7112, 2025}, true},
		"another register's":        {"BGREG.J40/1116/1991", Number{}, false},
		"empty":                     {"", Number{}, false},
		"a letter alone":            {"J", Number{}, false},
		"no letter":                 {"40/15812/2017", Number{}, false},
		"a county that is none":     {"J41/1/2017", Number{}, false},
		"an old one without county": {"J00/1/2017", Number{}, false},
		"a part too many":           {"J40/1/2017/2", Number{}, false},
		"a part too few":            {"J40/2017", Number{}, false},
		"letters in the serial":     {"J40/1A/2017", Number{}, false},
		"twelve digits":             {"J201701581240", Number{}, false},
		"a year before all":         {"J40/1/0017", Number{}, false},
		"much too long":             {"J40/15812/2017 and more of it", Number{}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, ok := Parse(test.text)
			if ok != test.ok || ok && got != test.want {
				t.Errorf("%q is %+v (%t), want %+v (%t)", test.text, got, ok, test.want, test.ok)
			}
		})
	}
}

func TestParseStrict(t *testing.T) {
	for text, ok := range map[string]bool{
		"J2017015812405": true, " j2017 015812 405 ": true, "J2025007112004": true, "j 05/1729/09.09.1991": true,
		"ROONRC.J2017015812405": true, "ROONRC.J40/15812/2017": true, "ROONRC.J2017015812404": false,
		"J2017015812405 din 27/09/2017": true, "J2017015812404 din 27/09/2017": false, "J40/1/17 din 27.09.2017": false,
		"J2017015812404": false, "F2017015812405": false, "J41/1/2017": false, "": false,
	} {
		want, _ := Parse(text)
		if !ok {
			want = Number{}
		}
		if got, valid := ParseStrict(text); valid != ok || got != want {
			t.Errorf("%q is %+v (%t), want %+v (%t)", text, got, valid, want, ok)
		}
	}
}

func TestOldOfANumberWithoutCounty(t *testing.T) {
	n, _ := Parse("J2025007112004")
	if n.Old() != "" || n.New() != "J2025007112004" {
		t.Errorf("written %q and %q", n.Old(), n.New())
	}
	if (Number{}).New() != "" || (Number{}).Old() != "" {
		t.Error("the zero number is not written as an empty text")
	}
}

func TestParseAllocatesNothing(t *testing.T) {
	text := []byte("J40/15812/2017")
	if n := testing.AllocsPerRun(100, func() { Parse(text) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"J40/15812/2017", "J2017015812405", "j 05/1729/09.09.1991", "F1/1/1/1",
		"ROONRC.J40/1116/14.03.1991", "J40/1116/1991 din 14.03.1991"} {
		f.Add(text)
	}

	f.Fuzz(func(t *testing.T, text string) {
		n, ok := Parse(text)
		if !ok {
			return
		}
		if again, ok := Parse(n.New()); !ok || again != n {
			t.Errorf("%q is %+v, written %s, and that is %+v", text, n, n.New(), again)
		}

		if n.County > 0 {
			if again, ok := Parse(n.Old()); !ok || again != n {
				t.Errorf("%q is %+v, written %s, and that is %+v", text, n, n.Old(), again)
			}
		}
	})
}
