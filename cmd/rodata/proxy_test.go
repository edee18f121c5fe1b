package main

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
)

// If the environment names a proxy as trusted, each client address that it forwards has a separate rate limit.
// Otherwise forwarded addresses are ignored.
func TestProxiesThatAreTrustedLong(t *testing.T) {
	long.Only(t, "starts processes and waits for them")
	for name, test := range map[string]struct {
		proxies string
		trusted bool
	}{
		"none":      {"", false},
		"others":    {"192.0.2.1 198.51.100.0/24", false},
		"this one":  {"192.0.2.1 127.0.0.1", true},
		"a network": {"private_ranges", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t, "RODATA_TRUSTED_PROXIES="+test.proxies)
			p.start(t)
			if limited := p.limits(t, "203.0.113.%d"); limited == test.trusted {
				t.Errorf("callers of different addresses share a limit: %t", limited)
			}
			// A client's own value precedes the proxy's.
			if !p.limits(t, "203.0.113.%d, 198.18.0.1") {
				t.Error("a caller who invents addresses has no limit")
			}
		})
	}
}

// limits makes many calls that a proxy forwards from numbered addresses, and reports whether any of them is rejected.
func (p *program) limits(t *testing.T, addresses string) bool {
	t.Helper()
	for n := range 30 { // an address may make 10 at once, and 1 a second
		if p.forwarded(t, fmt.Sprintf(addresses, n)) == http.StatusTooManyRequests {
			return true
		}
	}

	return false
}

// forwarded returns the status of a call that a proxy forwards from an address.
func (p *program) forwarded(t *testing.T, from string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+"/v1/caen-codes/6210", nil)
	testkit.NoError(t, err)

	r.Header.Set("X-Forwarded-For", from)
	res, err := http.DefaultClient.Do(r)
	testkit.NoError(t, err)

	res.Body.Close()
	return res.StatusCode
}
