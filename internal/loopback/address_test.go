package loopback

import (
	"net"
	"testing"
)

func TestFreeAddress(t *testing.T) {
	given := make(map[string]bool)
	for range 100 {
		address := FreeAddress()
		if given[address] {
			t.Fatalf("%s is returned twice", address)
		}

		given[address] = true

		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
	}
}
