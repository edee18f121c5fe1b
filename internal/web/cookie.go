package web

import (
	"net/http"
	"strings"
)

// CookieName returns the name of a cookie of the service at a base address, for a path. Over https, a prefix makes
// browsers refuse the cookie from pages in plain http and, for the path /, from other hosts of the domain (RFC 6265bis,
// section 4.1.3).
func CookieName(base, path, name string) string {
	switch {
	case !strings.HasPrefix(base, "https:"):
		return name
	case path == "/":
		return "__Host-" + name
	}

	return "__Secure-" + name
}

// LanguageCookie stores the reader's choice of a language.
const LanguageCookie = "rodata_lang"

// Language returns the language that the reader of a page has chosen, as it was stored; empty for none.
func Language(r *http.Request) string {
	for _, base := range []string{"https:", "http:"} {
		if cookie, err := r.Cookie(CookieName(base, "/", LanguageCookie)); err == nil {
			return cookie.Value
		}
	}

	return ""
}
