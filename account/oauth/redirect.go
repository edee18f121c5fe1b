package oauth

import (
	"net/url"
	"slices"
	"strings"

	"github.com/rodata/rodata/internal/weburl"
)

const (
	maxRedirects   = 20
	maxRedirectLen = 1000 // bytes
)

// dangerous are the schemes of addresses that a browser would run or open by
// itself, and those of no program's own.
var dangerous = []string{"javascript", "data", "vbscript", "file", "blob", "filesystem", "about", "view-source", "ws", "wss", "ftp", "mailto", "tel", "sms"}

// checkRedirect says what is wrong with an address at which a program wants people
// back: it must be https, or http on the person's own machine, or a scheme of the
// program's own (RFC 8252, section 7).
func checkRedirect(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.User != nil || strings.ContainsFunc(address, notPlain):
		return bad("invalid_redirect_uri", "a redirect URI must be a whole address, as https://app.example/callback")
	case len(address) > maxRedirectLen:
		return bad("invalid_redirect_uri", "a redirect URI has at most %d bytes", maxRedirectLen)
	case strings.Contains(address, "#"):
		return bad("invalid_redirect_uri", "a redirect URI has no fragment")
	case u.Scheme == "http" && !weburl.Loopback(u.Hostname()):
		return bad("invalid_redirect_uri", "http is for redirect URIs on a loopback address; use https")
	case slices.Contains(dangerous, u.Scheme):
		return bad("invalid_redirect_uri", "the scheme of a redirect URI is https, or one of the program's own")
	}
	return nil
}

// notPlain reports what addresses write otherwise, and what looks like something
// else to people or is something else to browsers.
func notPlain(r rune) bool { return r <= ' ' || r >= 0x7f || r == '\\' }

// checkRedirects checks all addresses of a program.
func checkRedirects(addresses []string) error {
	if len(addresses) == 0 || len(addresses) > maxRedirects {
		return bad("invalid_redirect_uri", "redirect_uris must list 1 to %d addresses", maxRedirects)
	}
	for _, address := range addresses {
		if err := checkRedirect(address); err != nil {
			return err
		}
	}
	return nil
}

// mayReturn reports whether one of a program's addresses is the one that it asks
// for: the very same, or on a loopback address another port, which a program gets
// only when it listens (RFC 8252, section 7.3).
func mayReturn(addresses []string, asked string) bool {
	return slices.Contains(addresses, asked) || slices.ContainsFunc(addresses, func(address string) bool {
		one, isLoopback := withoutPort(address)
		other, _ := withoutPort(asked)
		return isLoopback && one == other && checkRedirect(asked) == nil
	})
}

// withoutPort is an address on the person's own machine without its port.
func withoutPort(address string) (string, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || !weburl.Loopback(u.Hostname()) {
		return "", false
	}
	return u.Hostname() + u.EscapedPath() + "?" + u.RawQuery, true
}

// source is an address as a Content-Security-Policy names where a form may lead.
func source(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	if u.Scheme == "https" && !strings.ContainsAny(u.Host, "[;,' ") {
		return "https://" + u.Host
	}
	return u.Scheme + ":" // such a host cannot be named there
}

// place is where an address leads, as a person may recognise it.
func place(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return ""
	case u.Scheme == "https":
		return u.Host
	case u.Scheme == "http":
		return ""
	}
	return u.Scheme + "://" + u.Host
}
