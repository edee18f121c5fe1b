package site

import (
	"net/http"
	"strings"
	"testing"
)

// Errors name the inputs of the page, even if the operation's parameters have other names.
func TestProblemsNameTheInputsOfThePage(t *testing.T) {
	s := listingSite(t, newFakeTrade(), &fakeFixings{})
	for address, want := range map[string]string{
		"/rates/EUR?to=XX":         "The currency is not in the expected format. Accepted: a currency code such as EUR",
		"/rates/EUR?to=XX&lang=ro": "Valuta: formatul nu este cel așteptat. Se acceptă: un cod de valută",
		"/rates/SKK":               "The currency: there is no such value.",
		"/rates/EUR?day=none":      "The date is not in the expected format. Accepted: a date such as",
		"/companies?activity=abc":  "The CAEN code is not in the expected format.",
		"/places/999999999999":     "The SIRUTA code is outside the accepted range.",
		"/companies?county=ZZ":     "The county: there is no such value.",
	} {
		w := get(s, address)
		text := strings.ReplaceAll(strings.ReplaceAll(w.Body.String(), "<span>", ""), "</span>", "")
		if w.Code != http.StatusBadRequest || !strings.Contains(text, want) {
			_, list, _ := strings.Cut(text, "<ul>")
			t.Errorf("%s: %d without %q: %.200s", address, w.Code, want, list)
		}
	}
}
