package site

import (
	"net/http"
	"strings"
)

// redirect is the error of a page that is at another address.
type redirect struct{ to string }

func (m *redirect) Error() string { return "the page is at " + m.to }

// canonical returns a redirect to the canonical form of the page's path, with the same parameters.
func (v *visit) canonical(path string) *redirect {
	if query := v.r.URL.RawQuery; query != "" {
		path += "?" + query
	}
	return &redirect{path}
}

// follow answers with the redirect. A language in the address stays in the new address, because the redirect itself
// sets no cookie.
func (m *redirect) follow(w http.ResponseWriter, r *http.Request) {
	to := m.to
	if l, ok := parseLanguage(r.URL.Query().Get("lang")); ok && !strings.Contains(to, "?") {
		to += "?lang=" + l.String()
	}

	http.Redirect(w, r, to, http.StatusPermanentRedirect)
}
