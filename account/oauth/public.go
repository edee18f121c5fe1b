package oauth

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
)

// publicClient connects to public addresses only, whatever a name resolves to, and follows no redirects.
func publicClient() *http.Client {
	dialer := &net.Dialer{Timeout: documentTimeout, Control: refusePrivate}
	return &http.Client{
		Timeout: documentTimeout,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: documentTimeout, ForceAttemptHTTP2: true,
			DisableKeepAlives: true, MaxResponseHeaderBytes: 16 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

var errPrivateAddress = errors.New("the address is not public")

// refusePrivate checks the address of each connection before it is made.
func refusePrivate(_, address string, _ syscall.RawConn) error {
	end, err := netip.ParseAddrPort(address)
	if err != nil || !public(end.Addr()) {
		return fmt.Errorf("%w: %s", errPrivateAddress, address)
	}
	return nil
}

// special are special-purpose networks within the public ranges: IANA's registries (RFC 6890), November 2026.
var special = func() (networks []netip.Prefix) {
	for _, n := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	} {
		networks = append(networks, netip.MustParsePrefix(n))
	}

	return networks
}()

// unicast6 is the global unicast range of IPv6.
var unicast6 = netip.MustParsePrefix("2000::/3")

// public reports whether an address is on the public Internet, rather than in a private or special network.
func public(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.Is6() && !unicast6.Contains(a) {
		return false
	}

	return !slices.ContainsFunc(special, func(network netip.Prefix) bool { return network.Contains(a) })
}
