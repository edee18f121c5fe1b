package site

import (
	"strings"
	"testing"
)

func TestAboutPages(t *testing.T) {
	own := Text{"# Our terms\n\nBe kind. <script>alert(1)</script>", "# Termenii noștri\n\nFiți amabili."}
	for _, c := range []struct {
		name, path string
		about      About
		want       string
	}{
		{"nothing stated", "/about/terms", About{}, "has not stated a name"},
		{"an operator", "/about/privacy", About{Operator: "EXEMPLU & FIII SRL"}, "run by EXEMPLU &amp; FIII SRL."},
		{"own terms", "/about/terms", About{Terms: own}, "Be kind."},
		{"own terms in Romanian", "/about/terms?lang=ro", About{Terms: own}, "<title>Termenii noștri"},
		{"the other text stays", "/about/privacy?lang=ro", About{Terms: own}, "ANSPDCP"},
	} {
		o := optionsOf(t)
		o.About = c.about
		page := get(New(o), c.path).Body.String()
		if !strings.Contains(page, c.want) {
			t.Errorf("%s: the page does not say %q: %s", c.name, c.want, page)
		}
		if strings.Contains(page, "<script>alert") {
			t.Errorf("%s: markup of the file became markup of the page", c.name)
		}
	}
}

func TestTextsHaveVersions(t *testing.T) {
	o := optionsOf(t)
	first := New(o).shell.Terms
	o.About.Operator = "EXEMPLU SRL"
	if second := New(o).shell.Terms; len(first) != 16 || second == first {
		t.Errorf("versions %q and %q of different texts", first, second)
	}
}
