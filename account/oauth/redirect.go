package oauth

import (
	"net/url"
	"slices"
	"strings"

	"github.com/rodata/rodata/internal/web"
)

const (
	maxRedirects   = 20
	maxRedirectLen = 1000 // bytes
)

// dangerousSchemes are schemes that browsers execute or open themselves, and schemes that belong to no application.
var dangerousSchemes = []string{"javascript", "data", "vbscript", "file", "blob", "filesystem", "about",
	"view-source", "ws", "wss", "ftp", "mailto", "tel", "sms"}

// checkRedirect validates a redirect URI: https, http on a loopback address, or a private-use scheme, which needs no
// host (RFC 8252, section 7).
func checkRedirect(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme == "" || u.User != nil || strings.ContainsFunc(address, isUnsafe),
		u.Hostname() == "" && (isWeb(u) || u.Path == ""):
		return bad("invalid_redirect_uri", "a redirect URI must be an absolute URL, as in https://app.example/callback")
	case len(address) > maxRedirectLen:
		return bad("invalid_redirect_uri", "a redirect URI has at most %d bytes", maxRedirectLen)
	case strings.Contains(address, "#"):
		return bad("invalid_redirect_uri", "a redirect URI has no fragment")
	case u.Scheme == "http" && !web.IsLoopback(u.Hostname()):
		return bad("invalid_redirect_uri", "http is accepted for loopback addresses only; use https")
	case slices.Contains(dangerousSchemes, u.Scheme):
		return bad("invalid_redirect_uri", "a redirect URI needs the scheme https, or a private-use scheme")
	}

	return nil
}

func isWeb(u *url.URL) bool { return u.Scheme == "https" || u.Scheme == "http" }

// isUnsafe reports characters that must be encoded, or that people or browsers may misread.
func isUnsafe(r rune) bool { return r <= ' ' || r >= 0x7f || r == '\\' }

func checkRedirects(addresses []string) error {
	if len(addresses) == 0 || len(addresses) > maxRedirects {
		return bad("invalid_redirect_uri", "redirect_uris must have 1 to %d entries", maxRedirects)
	}

	for _, address := range addresses {
		if err := checkRedirect(address); err != nil {
			return err
		}
	}

	return nil
}

// allowsRedirect reports whether a redirect URI is one of the client's: identical, or on a loopback address with
// another port, which native applications choose at run time (RFC 8252, section 7.3).
func allowsRedirect(addresses []string, asked string) bool {
	return slices.Contains(addresses, asked) || slices.ContainsFunc(addresses, func(address string) bool {
		one, isLoopback := withoutPort(address)
		other, _ := withoutPort(asked)
		return isLoopback && one == other && checkRedirect(asked) == nil
	})
}

// withoutPort returns a loopback address without its port.
func withoutPort(address string) (string, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || !web.IsLoopback(u.Hostname()) {
		return "", false
	}
	return u.Hostname() + u.EscapedPath() + "?" + u.RawQuery, true
}

// cspSource returns the Content-Security-Policy source expression for a redirect target.
func cspSource(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	if u.Scheme == "https" && !strings.ContainsAny(u.Host, "[;,' ") {
		return "https://" + u.Host
	}

	return u.Scheme + ":" // the host cannot be expressed in a source expression
}

// redirectLabel describes a redirect target to people.
func redirectLabel(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return ""
	case u.Scheme == "https":
		return u.Host
	case u.Scheme == "http":
		return ""
	}

	if u.Host == "" {
		return u.Scheme + ":"
	}
	return u.Scheme + "://" + u.Host
}
