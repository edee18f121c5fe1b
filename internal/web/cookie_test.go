package web

import (
	"net/http"
	"testing"
)

func TestCookieNames(t *testing.T) {
	for want, c := range map[string]struct{ base, path string }{
		"name":          {"http://127.0.0.1:8080", "/"},
		"__Host-name":   {"https://rodata.example", "/"},
		"__Secure-name": {"https://rodata.example", "/v1"},
	} {
		if got := CookieName(c.base, c.path, "name"); got != want {
			t.Errorf("at %s for %s: %s", c.base, c.path, got)
		}
	}
}

func TestLanguage(t *testing.T) {
	for header, want := range map[string]string{
		"": "", "rodata_lang=ro": "ro", "__Host-rodata_lang=en": "en", "rodata_lang=ro; __Host-rodata_lang=en": "en",
	} {
		if got := Language(&http.Request{Header: http.Header{"Cookie": {header}}}); got != want {
			t.Errorf("%q: %q", header, got)
		}
	}
}
