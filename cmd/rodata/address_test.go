package main

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// TestServedAddress verifies that a configuration is rejected if another program answers at one of its addresses.
func TestServedAddress(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.NoError(t, err)
	defer l.Close()

	_, port, _ := net.SplitHostPort(l.Addr().String())
	const config = `{"admin": %s, "apps": {"http": {"servers": {"site": {"listen": [%q]}}}}}`
	for name, c := range map[string]struct {
		config string
		free   bool
	}{
		"a site":                 {fmt.Sprintf(config, `{"disabled": true}`, l.Addr()), false},
		"a site on each address": {fmt.Sprintf(config, `{"disabled": true}`, ":"+port), false},
		"the admin API":          {fmt.Sprintf(config, `{"listen": "`+l.Addr().String()+`"}`, "unix//run/site.sock"), false},
		"no TCP":                 {fmt.Sprintf(config, `{"disabled": true}`, "unix//run/site.sock"), true},
		"another network":        {fmt.Sprintf(config, `{"disabled": true}`, "udp/127.0.0.1:"+port), true},
	} {
		t.Run(name, func(t *testing.T) {
			err := checkAddressesFree([]byte(c.config))
			if (err == nil) != c.free || err != nil && !strings.Contains(err.Error(), "listens on 127.0.0.1:"+port) {
				t.Errorf("got %v", err)
			}
		})
	}
}
