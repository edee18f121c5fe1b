package auth

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/rodata/rodata/internal/web"
)

// checkOrigin refuses cross-site requests (CSRF). A request with a cookie must name its origin. A request without a
// cookie could at most sign someone in (login CSRF), so its origin may be missing, but must be trusted if it is
// present.
func (x *exchange) checkOrigin() error {
	h := x.r.Header
	if x.r.Method == http.MethodGet {
		return nil
	}

	site, withCookie := h.Get("Sec-Fetch-Site"), h.Get("Cookie") != ""
	if !withCookie && site == "cross-site" && h.Get("Sec-Fetch-Mode") == "navigate" {
		return forbidden("CROSS_SITE_NAVIGATION_LOGIN_BLOCKED",
			"Cross-site navigation login blocked. This request appears to be a CSRF attack.", "")
	}

	origin := cmp.Or(h.Get("Origin"), web.Origin(h.Get("Referer")))
	switch {
	case origin == "null" && site == "same-origin": // a page with a strict referrer policy
		return nil
	case origin == "" && !withCookie && site == "":
		return nil
	case origin == "" || origin == "null":
		return forbidden("MISSING_OR_NULL_ORIGIN", "Missing or null Origin", "")
	case !x.trusts(origin):
		return forbidden("INVALID_ORIGIN", "Invalid origin", "")
	}

	return nil
}

// IsTrustedOrigin reports whether pages of an origin may act for the signed-in user: the service's own origin and
// Options.TrustedOrigins.
func (a *Auth) IsTrustedOrigin(origin string, r *http.Request) bool {
	return web.IsSameOrigin(web.Origin(a.BaseURL(r)), origin) || a.TrustedOrigins.Has(origin)
}

func (x *exchange) trusts(origin string) bool { return x.auth.IsTrustedOrigin(origin, x.r) }

// targets are the parameters that name redirect targets, with better-auth's errors for untrusted ones.
var targets = map[string]error{
	"callbackURL":        forbidden("INVALID_CALLBACK_URL", "Invalid callbackURL", ""),
	"redirectTo":         forbidden("INVALID_REDIRECT_URL", "Invalid redirectURL", ""),
	"errorCallbackURL":   forbidden("INVALID_ERROR_CALLBACK_URL", "Invalid errorCallbackURL", ""),
	"newUserCallbackURL": forbidden("INVALID_NEW_USER_CALLBACK_URL", "Invalid newUserCallbackURL", ""),
}

func (x *exchange) checkTargets(values map[string]any) error {
	for _, name := range sortedKeys(targets) {
		if target, _ := values[name].(string); target != "" && !x.mayRedirect(target) {
			return targets[name]
		}
	}

	return nil
}

// target returns a redirect target from the query, or the default if it is missing.
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

// mayRedirect reports whether a redirect stays with the service or a trusted origin. Characters that browsers interpret
// differently (backslashes, control characters, encoded slashes) are refused.
func (x *exchange) mayRedirect(target string) bool {
	for _, r := range target {
		if r <= ' ' || r == '\\' || r >= 0x7f && r <= 0x9f {
			return false
		}
	}

	if !strings.HasPrefix(target, "/") {
		return x.trusts(web.Origin(target))
	}

	path, _, _ := strings.Cut(target, "?")
	path, _, _ = strings.Cut(path, "#")
	path = strings.ToLower(path)
	_, err := url.Parse(target)
	return err == nil && !strings.HasPrefix(target, "//") && !strings.Contains(path, "%2f") &&
		!strings.Contains(path, "%5c")
}
