// Package loopback finds addresses for servers that tests and benchmarks start at a fixed address.
package loopback

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// These ports are outside the range that kernels use for outgoing connections and for listeners on port 0, which
// begins at 32768 on Linux (ip_local_port_range) and at 49152 on other systems (RFC 6335, section 6). So only another
// server with a fixed address can take such a port before the caller's server does.
const firstPort, lastPort = 20_000, 32_767

var given = struct {
	sync.Mutex
	ports map[int]bool
}{ports: make(map[int]bool)}

// FreeAddress returns 127.0.0.1 with an unused port. It never returns the same port twice in a process. Like
// httptest.NewServer, it panics if there is no unused port.
func FreeAddress() string {
	given.Lock()
	defer given.Unlock()

	for range lastPort - firstPort {
		port := firstPort + rand.IntN(lastPort-firstPort+1)
		if given.ports[port] {
			continue
		}

		listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			continue
		}

		listener.Close()
		given.ports[port] = true
		return listener.Addr().String()
	}

	panic(fmt.Sprintf("loopback: no port between %d and %d is free", firstPort, lastPort))
}
