package loopback

import (
	"net"
	"testing"

	"github.com/rodata/rodata/testkit"
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
		testkit.NoError(t, err)
		defer listener.Close()
	}
}
