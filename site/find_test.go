package site

import (
	"net/http"
	"strings"
	"testing"
)

// Queries find the expected page first, in the visitor's language.
func TestFind(t *testing.T) {
	s := newSite(t)
	for _, c := range []struct{ name, query, lang, want string }{
		{"an operation by its name", "get_company", "en", "/docs/api/get_company"},
		{"an operation by its path", "/v1/fx-rates/convert", "en", "/docs/api/convert_currency"},
		{"an operation by its title in Romanian", "sărbători legale", "ro", "/docs/api/get_holidays"},
		{"without diacritics", "sarbatorile legale", "ro", "/docs/api/get_holidays"},
		{"with cedillas", "sărbătorile legale ale unui an", "ro", "/docs/api/get_holidays"},
		{"a guide by its title", "errors limits", "en", "/docs/errors"},
		{"a guide in Romanian", "limba modele", "ro", "/docs/mcp"},
		{"a section of a guide", "rate limits", "en", "/docs/errors#rate-limits"},
		{"a field by its name", "vatOnCollection", "en", "#field-vatOnCollection"},
	} {
		w := get(s, "/docs/search?q="+strings.ReplaceAll(c.query, " ", "+")+"&lang="+c.lang)
		_, list, _ := strings.Cut(w.Body.String(), `class="results-list"`)
		_, first, _ := strings.Cut(list, `<a href="`)
		path, _, _ := strings.Cut(first, `"`)
		if w.Code != http.StatusOK || !strings.Contains(path, c.want) {
			t.Errorf("%s: %q leads first to %q, not %q", c.name, c.query, path, c.want)
		}
		if !strings.Contains(list, "<mark>") {
			t.Errorf("%s: no match is marked", c.name)
		}
	}
}

func TestFindShowsNoMarkup(t *testing.T) {
	s := newSite(t)
	w := get(s, "/docs/search?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E"+strings.Repeat("ș", 500))
	if body := w.Body.String(); w.Code != http.StatusOK || strings.Contains(body, "<script>alert") ||
		!strings.Contains(body, "Nothing was found") {
		t.Errorf("%d %s", w.Code, body)
	}
	if empty := get(s, "/docs/search"); empty.Code != http.StatusOK ||
		strings.Contains(empty.Body.String(), "results-list") {
		t.Errorf("a search for nothing: %d", empty.Code)
	}
	if w.Header().Get("Content-Security-Policy") != policy || w.Header().Get("Etag") == "" {
		t.Errorf("headers %v", w.Header())
	}
}

// Every address in the search index leads to an existing part of a page.
func TestFindLeadsSomewhere(t *testing.T) {
	s := newSite(t)
	for l := range languages {
		for _, page := range s.findIndex[l]() {
			for _, part := range page.parts {
				path, fragment, _ := strings.Cut(part.path, "#")
				if body := string(s.files[path].bodies()[l]); fragment != "" &&
					!strings.Contains(body, `id="`+fragment+`"`) {
					t.Fatalf("%s in %s has no part %s", path, l, fragment)
				}
			}
		}
	}
}

func TestMatches(t *testing.T) {
	words := wordsOf("Companies and their registrations: vatPayer, rate")
	for term, want := range map[string]int{
		"companies": 3, "vat": 3, "vatpayer": 3, "regis": 2, "compan": 2, "company": 1, "rates": 1, "zero": 0,
		"a": 2, "z": 0,
	} {
		if got := matches(words, term); got != want {
			t.Errorf("%q matches %d, want %d", term, got, want)
		}
	}
}
