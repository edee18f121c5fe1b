// Package web is how the service speaks HTTP: CORS, cookies, bodies and problems, and which web addresses it trusts:
// whether a host is this machine, whether a service may be called at a URL, and whose pages may act for a user.
package web

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// IsLoopback reports whether a host, without a port, is this machine's loopback interface: localhost, or an address of
// 127.0.0.0/8 or ::1. Names that only resolve to such an address do not count, because others control their resolution.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}

	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && address.Unmap().IsLoopback()
}

// Service validates the base URL of a service that receives secrets or data, and returns it without a trailing slash.
// It must be https, or http on a loopback host, and have no user, query or fragment.
func Service(text string) (string, error) {
	u, err := plain(text)
	switch {
	case err != nil:
		return "", err
	case u.Scheme == "https", IsLoopback(u.Hostname()):
		return strings.TrimSuffix(u.String(), "/"), nil
	}

	return "", fmt.Errorf("%q is not encrypted; use https, http is for 127.0.0.1 and localhost only", text)
}

// Public validates the base URL of a service that publishes data without encryption, and returns it without a trailing
// slash. It may be http on any host; otherwise the rules of Service apply. Its data are not authenticated.
func Public(text string) (string, error) {
	u, err := plain(text)
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(u.String(), "/"), nil
}

// plain parses an http or https URL without user, query or fragment.
func plain(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("parsing URL: %w", err)
	case u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%q is not a plain URL; write it as https://service.example", text)
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("%q has the scheme %q; use https", text, u.Scheme)
	}

	return u, nil
}
