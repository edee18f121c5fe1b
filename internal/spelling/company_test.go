package spelling

import (
	"slices"
	"testing"
)

func TestCompanyKey(t *testing.T) {
	for _, c := range []struct{ name, text, key string }{
		{"form behind", "EXEMPLU UNU SRL", "exemplu unu"},
		{"form with dots", "Exemplu Unu S.R.L.", "exemplu unu"},
		{"form in front as well", "S.C. EXEMPLU UNU S.A.", "exemplu unu"},
		{"the small company", "EXEMPLU SRL-D", "exemplu"},
		{"quotes", `"EXEMPLU UNU" SRL`, "exemplu unu"},
		{"sole trader, in words", "EXEMPLESCU ANA ÎNTREPRINDERE INDIVIDUALĂ", "exemplescu ana"},
		{"sole trader, in front", "PFA Exemplescu Ana", "exemplescu ana"},
		{"a form inside stays", "EXEMPLU SA UNU SRL", "exemplu sa unu"},
		{"cedillas", "ŞTIINŢĂ SRL", "stiinta"},
		{"nothing but forms", "SC SRL", "sc"},
		{"empty", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := CompanyKey(c.text); got != c.key {
				t.Errorf("the key of %q is %q, want %q", c.text, got, c.key)
			}
		})
	}
}

func TestBegunForm(t *testing.T) {
	for typed, want := range map[string]string{"fitlab s": "fitlab", "fitlab sr": "fitlab", "fitlab s r": "fitlab",
		"fitlab": "fitlab", "s": "s"} {
		if got := WithoutPartialForm(typed); got != want {
			t.Errorf("%q without a begun form is %q, want %q", typed, got, want)
		}
	}
}

func TestCompanyWords(t *testing.T) {
	for name, want := range map[string][]string{
		"S.C. EXEMPLU UNU S.R.L.": {"exemplu", "unu"}, "Unu Exemplu": {"exemplu", "unu"},
		"C.F.R. Imaginar SA": {"cfr", "imaginar"}, "Exemplu & Exemplu": {"exemplu"}, "": nil,
	} {
		if got := CompanyWords(name); !slices.Equal(got, want) {
			t.Errorf("the words of %q are %q, want %q", name, got, want)
		}
	}
}
