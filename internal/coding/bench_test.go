package coding

import (
	"net/http"
	"testing"
)

func BenchmarkAccepted(b *testing.B) {
	h := http.Header{"Accept-Encoding": {"gzip, deflate, br, zstd"}}
	for b.Loop() {
		if Negotiate(h) != Zstd {
			b.Fatal("the coding is not zstd")
		}
	}
}
