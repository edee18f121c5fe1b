package caddymodule

import (
	"slices"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddytls"
)

// The addresses of a site are shown as people type them.
func TestAddressesOfASite(t *testing.T) {
	encrypted := caddytls.ConnectionPolicies{new(caddytls.ConnectionPolicy)}
	for name, c := range map[string]struct {
		server *caddyhttp.Server
		hosts  []string
		want   []string
	}{
		"a domain": {&caddyhttp.Server{Listen: []string{":443"}, TLSConnPolicies: encrypted},
			[]string{"api.example.ro"}, []string{"https://api.example.ro"}},
		"two domains": {&caddyhttp.Server{Listen: []string{":443"}, TLSConnPolicies: encrypted},
			[]string{"a.example.ro", "b.example.ro"}, []string{"https://a.example.ro", "https://b.example.ro"}},
		"another port": {&caddyhttp.Server{Listen: []string{":8443"}, TLSConnPolicies: encrypted},
			[]string{"localhost"}, []string{"https://localhost:8443"}},
		"not encrypted": {&caddyhttp.Server{Listen: []string{":80"}}, []string{"127.0.0.1"},
			[]string{"http://127.0.0.1"}},
		"any host": {&caddyhttp.Server{Listen: []string{":8080"}}, nil, []string{"http://localhost:8080"}},
		"any host of an address": {&caddyhttp.Server{Listen: []string{"10.0.0.5:8080"}}, nil,
			[]string{"http://10.0.0.5:8080"}},
		"IPv6": {&caddyhttp.Server{Listen: []string{"[::1]:8080", "[::1]:80"}}, nil,
			[]string{"http://[::1]:8080", "http://[::1]"}},
		"a socket": {&caddyhttp.Server{Listen: []string{"unix//run/rodata.sock"}}, []string{"localhost"},
			[]string{"unix//run/rodata.sock"}},
	} {
		if got := addresses(c.server, c.hosts); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
