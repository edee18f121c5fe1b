// Package weburl judges web addresses: whether a host is this machine, whether a
// service may be called at a URL, and which origins of web pages are trusted.
package weburl

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// Loopback reports whether a host, without a port, is this machine's loopback
// interface: localhost, or an address of 127.0.0.0/8 or ::1. Names that only
// resolve to such an address do not count, since others decide what they resolve
// to.
func Loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && address.Unmap().IsLoopback()
}

// Service checks the base URL of a service that secrets or data are entrusted to,
// and returns it without a trailing slash. It must be https, or http on a loopback
// host, and have no user, query or fragment.
func Service(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return "", fmt.Errorf("parsing URL: %w", err)
	case u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("%q is not a plain URL; write it as https://service.example", text)
	case u.Scheme == "https", u.Scheme == "http" && Loopback(u.Hostname()):
		return strings.TrimSuffix(u.String(), "/"), nil
	case u.Scheme == "http":
		return "", fmt.Errorf("%q is not encrypted; use https, http is for 127.0.0.1 and localhost only", text)
	}

	return "", fmt.Errorf("%q has the scheme %q; use https", text, u.Scheme)
}
