package onrc

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rodata/rodata/upstream/siruta"
)

func FuzzFirm(f *testing.F) {
	f.Add(row(map[int]string{firmName: "EXEMPLU SRL", firmTaxID: "9900000029", firmCounty: "Argeş",
		firmPlace: "Lereşti", firmWeb: "www.a.example"}))
	f.Add(row(map[int]string{firmName: "\xff\u202e", firmCounty: "Bucureşti", firmPlace: "Sector", firmDay: "1/1/1"}))
	places := newGazetteer(siruta.Load())
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := (&firmReader{places: places, dropped: reasons{}}).read(text)
		for _, s := range []string{got.Name, got.City, got.Address, got.Website, got.Form, got.EUID} {
			if !utf8.ValidString(s) || strings.ContainsAny(s, "\n\r\x00") {
				t.Errorf("%q is not fit to be shown", s)
			}
		}

		if ok && got.Name == "" {
			t.Error("a company has no name")
		}
	})
}

func FuzzPersonal(f *testing.F) {
	f.Add("CNP 1990299000001, J2017015812405")
	f.Fuzz(func(t *testing.T, text string) {
		clean, _ := withoutPersonal([]byte(text))
		if again, found := withoutPersonal(clean); found {
			t.Errorf("%q becomes %q, and that %q", text, clean, again)
		}
	})
}
