package web

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Endpoints validates URLs that callers provide and the service then calls. The zero value permits only the public
// internet, so that the operator's own network cannot be reached through the service.
type Endpoints struct {
	// Private permits all addresses, and http.
	Private bool
}

// Forbidden reports an endpoint that must not be called.
type Forbidden struct {
	// Reason is for the caller.
	Reason string
	// Detail is only for the operator, because it reveals addresses in the operator's network; it may be empty.
	Detail string
}

// Error implements error.
func (e *Forbidden) Error() string { return e.Reason }

func forbidden(format string, args ...any) error {
	return &Forbidden{Reason: fmt.Sprintf(format, args...)}
}

// notPublic reports a host that resolves to an address that is not public.
func notPublic(address netip.Addr, kind string) error {
	return &Forbidden{"its host does not resolve to a public address",
		fmt.Sprintf("it resolves to %s, which is %s", address.Unmap(), kind)}
}

// maxURL is the maximum length of a URL in bytes.
const maxURL = 2_000

// Check rejects the URL of an endpoint that must not be called. It does not resolve names. The error explains why,
// without repeating the URL, because it may contain a secret.
func (e Endpoints) Check(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Hostname() == "", u.Opaque != "", len(text) > maxURL:
		return forbidden("it is not a URL of at most %d characters; write it as https://receiver.example/hook", maxURL)
	case u.Scheme != "https" && (u.Scheme != "http" || !e.Private):
		return forbidden("its scheme is %q; only https is called", u.Scheme)
	case u.User != nil:
		return forbidden("it has a user or password; the signature proves who sends, so leave them out")
	case strings.Contains(text, "#"):
		return forbidden("it has a fragment, which is never sent; leave out the # and what follows")
	case !e.Private && !isUsualPort(u.Port()):
		return forbidden("it has the port %s; use 443, or one from 1024 to 65535", u.Port())
	}

	if e.Private {
		return nil
	}
	if strings.EqualFold(strings.TrimSuffix(u.Hostname(), "."), "localhost") {
		return forbidden("its host is localhost, and only public addresses are called")
	}

	if address, err := netip.ParseAddr(u.Hostname()); err == nil {
		if kind := special(address); kind != "" {
			return forbidden("its address %s is %s, and only public addresses are called", address, kind)
		}
	}

	return nil
}

// isUsualPort reports whether a port is empty, 443, or at least 1024: lower ports belong to other protocols.
func isUsualPort(port string) bool {
	if port == "" || port == "443" {
		return true
	}

	n, err := strconv.Atoi(port)
	return err == nil && n >= 1024 && n <= 65535
}

// Resolve rejects the URL of an endpoint if its host name resolves to an address that must not be called. A name that
// does not resolve yet is accepted, because addresses are checked again on each connection.
func (e Endpoints) Resolve(ctx context.Context, text string) error {
	if err := e.Check(text); err != nil || e.Private {
		return err
	}

	u, err := url.Parse(text)
	if err != nil {
		return err
	}

	addresses, _ := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	for _, address := range addresses {
		if kind := special(address); kind != "" {
			return notPublic(address, kind)
		}
	}

	return nil
}

// Dialer returns a dialer for endpoints. It checks the address after name resolution, so that DNS rebinding cannot
// replace an address that was checked earlier.
func (e Endpoints) Dialer(timeout time.Duration) *net.Dialer {
	return &net.Dialer{Timeout: timeout, ControlContext: e.control}
}

func (e Endpoints) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	if e.Private {
		return nil
	}

	a, err := netip.ParseAddrPort(address)
	if err != nil {
		return &Forbidden{"its host does not resolve to a public address",
			address + " is not an address of the internet"}
	}
	if kind := special(a.Addr()); kind != "" {
		return notPublic(a.Addr(), kind)
	}

	return nil
}

// ranges are the addresses that are not public (IANA's registries of special-purpose addresses, 2026-11).
var ranges = slices.Concat(
	rangesOf("a loopback address", "127.0.0.0/8", "::1/128"),
	rangesOf("unspecified", "0.0.0.0/8", "::/128"),
	rangesOf("a private address", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"),
	rangesOf("a link-local address", "169.254.0.0/16", "fe80::/10"), // cloud metadata services
	rangesOf("an address of a provider's own network", "100.64.0.0/10"),
	rangesOf("a multicast address", "224.0.0.0/4", "ff00::/8"),
	rangesOf("a reserved address", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "240.0.0.0/4", "2001::/23", "2001:db8::/32", "3fff::/20"),
)

type addressRange struct {
	netip.Prefix
	kind string
}

func rangesOf(kind string, prefixes ...string) (ranges []addressRange) {
	for _, p := range prefixes {
		ranges = append(ranges, addressRange{netip.MustParsePrefix(p), kind})
	}
	return ranges
}

var (
	nat64     = netip.MustParsePrefix("64:ff9b::/96")
	sixToFour = netip.MustParsePrefix("2002::/16")
	unicast   = netip.MustParsePrefix("2000::/3") // the only IPv6 addresses that IANA allocates to the internet
)

// special returns the reason why an address is not public, such as "a link-local address"; it is empty for a public
// address. IPv6 addresses that embed an IPv4 address are judged by the embedded one.
func special(a netip.Addr) string {
	if a.Zone() != "" {
		return "a link-local address"
	}

	a = a.Unmap()
	switch b := a.As16(); {
	case nat64.Contains(a):
		return special(netip.AddrFrom4([4]byte(b[12:])))
	case sixToFour.Contains(a):
		return special(netip.AddrFrom4([4]byte(b[2:6])))
	}

	for _, r := range ranges {
		if r.Contains(a) {
			return r.kind
		}
	}

	if a.Is6() && !unicast.Contains(a) {
		return "a reserved address"
	}

	return ""
}
