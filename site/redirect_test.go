package site

import (
	"net/http"
	"strings"
	"testing"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/upstream/caen"
)

func TestRedirectsKeepParameters(t *testing.T) {
	s := listingSite(t, newFakeTrade(), &fakeFixings{})
	for address, want := range map[string]string{
		"/rates/eur?to=USD&span=all":            "/rates/EUR?to=USD&span=all",
		"/caen/62.10?lang=ro":                   "/caen/6210?lang=ro",
		"/caen/62.10":                           "/caen/6210",
		"/caen/%0D%0Ax":                         "/caen/%0D%0AX",
		"/companies/RO9900000010/status?date=x": "/companies/9900000010/status?date=x",
		"/companies?q=RO9900000010&lang=ro":     "/companies/9900000010?lang=ro",
		"/companies?q=RO9900000010&lang=xx":     "/companies/9900000010",
	} {
		w := get(s, address)
		if got := w.Header().Get("Location"); w.Code != http.StatusPermanentRedirect || got != want {
			t.Errorf("%s: %d to %q, want %q", address, w.Code, got, want)
		}
	}
}

func TestSwitchingTheLanguageKeepsParameters(t *testing.T) {
	s := listingSite(t, newFakeTrade(), &fakeFixings{})
	for address, want := range map[string]string{
		"/companies?q=exemplu":   `href="?lang=en&amp;q=exemplu"`,
		"/docs/search?q=exemplu": `href="?lang=en&amp;q=exemplu"`,
		"/rates?date=none":       `href="?lang=en&amp;date=none"`, // a problem
		"/docs/search?q=":        `href="?lang=en"`,
	} {
		if w := get(s, address+"&lang=ro"); !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: the page lacks the link %s to the other language", address, want)
		}
	}
}

// Browsers remember a permanent redirect, so a temporary failure must not cause one. 4711 is both the code of an
// activity and a valid tax id.
func TestLimitedVisitorOfActivityIsNotRedirected(t *testing.T) {
	s := liveSite(t, api.Registries{Classification: caen.Load(), Trade: newFakeTrade()}, metering.PerSecond(1, 1))
	if w := get(s, "/caen/4711"); w.Code != http.StatusOK {
		t.Fatalf("the first view: %d", w.Code)
	}
	if w := get(s, "/caen/4711"); w.Code != http.StatusTooManyRequests {
		t.Errorf("beyond the limit: %d to %q", w.Code, w.Header().Get("Location"))
	}
}
