package caddymodule

import "testing"

func TestListensBeyondThisMachine(t *testing.T) {
	for address, want := range map[string]bool{
		":8080": true, "0.0.0.0:80": true, "10.0.0.5:443": true, "[::]:443": true, "api.example.ro:443": true,
		"127.0.0.1:8080": false, "localhost:443": false, "[::1]:443": false, "unix//run/rodata.sock": false,
	} {
		if got := listensExternally(address); got != want {
			t.Errorf("%s: got %v", address, got)
		}
	}
}
