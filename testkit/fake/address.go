package fake

import (
	"net/http"
	"net/netip"
	"sync/atomic"
)

// Address returns the address in the request's header X-Test-Address, or a new one for each request.
func Address(r *http.Request) netip.Addr {
	if named := r.Header.Get("X-Test-Address"); named != "" {
		return netip.MustParseAddr(named)
	}

	n := requests.Add(1)
	return netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)})
}

var requests atomic.Uint32
