package oauth

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
)

// publicClient reaches public addresses only, whatever a name resolves to, and does
// not follow elsewhere.
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

// refusePrivate is asked with the address that a connection is about to be made to.
func refusePrivate(_, address string, _ syscall.RawConn) error {
	end, err := netip.ParseAddrPort(address)
	if err != nil || !public(end.Addr()) {
		return fmt.Errorf("%w: %s", errPrivateAddress, address)
	}
	return nil
}

// special are the networks within those of the Internet that lead elsewhere: IANA's
// registries of special-purpose addresses (RFC 6890), November 2026.
var special = func() (networks []netip.Prefix) {
	for _, n := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	} {
		networks = append(networks, netip.MustParsePrefix(n))
	}
	return networks
}()

// unicast6 is all of the Internet's own in IPv6.
var unicast6 = netip.MustParsePrefix("2000::/3")

// public reports whether an address is somewhere on the Internet, and not in a
// network of the operator's.
func public(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.Is6() && !unicast6.Contains(a) {
		return false
	}
	for _, network := range special {
		if network.Contains(a) {
			return false
		}
	}
	return true
}
