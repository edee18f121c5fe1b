package auth

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// checkOrigin refuses what other people's pages have a browser send. A request
// with a cookie must say which page it comes from; one without could only sign
// somebody in, and must come from a trusted page if it comes from one.
func (x *exchange) checkOrigin() error {
	h := x.r.Header
	if x.r.Method == http.MethodGet {
		return nil
	}
	site, withCookie := h.Get("Sec-Fetch-Site"), h.Get("Cookie") != ""
	if !withCookie && site == "cross-site" && h.Get("Sec-Fetch-Mode") == "navigate" {
		return forbidden("CROSS_SITE_NAVIGATION_LOGIN_BLOCKED", "Cross-site navigation login blocked. This request appears to be a CSRF attack.")
	}
	origin := h.Get("Origin")
	if origin == "" {
		origin = originOf(h.Get("Referer"))
	}
	switch {
	case origin == "null" && site == "same-origin": // a page that tells nobody where it is from
		return nil
	case origin == "" && !withCookie && site == "":
		return nil
	case origin == "" || origin == "null":
		return forbidden("MISSING_OR_NULL_ORIGIN", "Missing or null Origin")
	case !x.trusts(origin):
		return forbidden("INVALID_ORIGIN", "Invalid origin")
	}
	return nil
}

func forbidden(code, message string) *refusal {
	return &refusal{status: http.StatusForbidden, code: code, message: message}
}

// TrustedOrigin reports whether pages of an origin may act for whoever is signed
// in: those of the service itself, as the request names it, and of
// Options.TrustedOrigins.
func (a *Auth) TrustedOrigin(origin string, r *http.Request) bool {
	return origin != "" && (origin == originOf(a.BaseURL(r)) || slices.Contains(a.TrustedOrigins, origin))
}

func (x *exchange) trusts(origin string) bool { return x.auth.TrustedOrigin(origin, x.r) }

// originOf is the origin of an http address as a browser writes it; empty when it
// has none.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	host := strings.ToLower(u.Host)
	if u.Scheme == "http" {
		host = strings.TrimSuffix(host, ":80")
	} else {
		host = strings.TrimSuffix(host, ":443")
	}
	return u.Scheme + "://" + host
}

// targets are the addresses that a browser may be sent to, as the client names
// them, and what better-auth calls them when they are not trusted.
var targets = map[string]*refusal{
	"callbackURL":        forbidden("INVALID_CALLBACK_URL", "Invalid callbackURL"),
	"redirectTo":         forbidden("INVALID_REDIRECT_URL", "Invalid redirectURL"),
	"errorCallbackURL":   forbidden("INVALID_ERROR_CALLBACK_URL", "Invalid errorCallbackURL"),
	"newUserCallbackURL": forbidden("INVALID_NEW_USER_CALLBACK_URL", "Invalid newUserCallbackURL"),
}

func (x *exchange) checkTargets(values map[string]any) error {
	for name, refused := range targets {
		if target, _ := values[name].(string); target != "" && !x.mayRedirect(target) {
			return refused
		}
	}
	return nil
}

// target is a parameter of the address of a request to which the browser is to be
// sent, or the default when it is missing.
func (x *exchange) target(name, otherwise string) (string, error) {
	target := x.r.URL.Query().Get(name)
	if target == "" {
		return otherwise, nil
	}
	if !x.mayRedirect(target) {
		return "", targets[name]
	}
	return target, nil
}

// mayRedirect reports whether a browser would stay with us or a trusted origin.
// What browsers read in their own ways (backslashes, control characters, encoded
// slashes) is refused.
func (x *exchange) mayRedirect(target string) bool {
	for _, r := range target {
		if r <= ' ' || r == '\\' || r >= 0x7f && r <= 0x9f {
			return false
		}
	}
	if !strings.HasPrefix(target, "/") {
		return x.trusts(originOf(target))
	}
	path, _, _ := strings.Cut(target, "?")
	path, _, _ = strings.Cut(path, "#")
	path = strings.ToLower(path)
	_, err := url.Parse(target)
	return err == nil && !strings.HasPrefix(target, "//") && !strings.Contains(path, "%2f") && !strings.Contains(path, "%5c")
}

// preflight opens the answer to pages of trusted origins elsewhere, whose scripts
// could not read it otherwise; it reports true when a browser only asked whether
// it may send a request.
func (x *exchange) preflight() bool {
	h := x.w.Header()
	h.Add("Vary", "Origin")
	origin := x.r.Header.Get("Origin")
	if !x.trusts(origin) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Allow-Credentials", "true")
	h.Set("Access-Control-Expose-Headers", "Retry-After, X-Retry-After")
	if x.r.Method != http.MethodOptions || x.r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST")
	h.Set("Access-Control-Allow-Headers", "Content-Type")
	h.Set("Access-Control-Max-Age", "86400")
	x.w.WriteHeader(http.StatusNoContent)
	return true
}
