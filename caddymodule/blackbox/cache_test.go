package blackbox

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// The first responses are compressed for each request, and later ones share a kept compressed form. Clients cannot
// tell the difference.
func hitIsCompressed(t *testing.T, g *gateway) {
	path := "/v1/companies/" + company(t)
	g.get(t, path)
	plain := g.do(t, "GET", path, request{header: map[string]string{"Accept-Encoding": "identity"}})

	for encoding, unpack := range map[string]func(io.Reader) (io.Reader, error){
		"gzip": func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"zstd": func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) },
	} {
		tag := plain.Header.Get("Etag") // weak, so it is the same for all codings
		for n := range 50 {
			got := g.do(t, "GET", path, request{header: map[string]string{"Accept-Encoding": encoding}})
			r, err := unpack(bytes.NewReader(got.body))
			if err != nil {
				t.Fatalf("%v: %v", err, got.Header)
			}
			if body, err := io.ReadAll(r); err != nil || !bytes.Equal(body, plain.body) {
				t.Fatalf("%s, answer %d: %v\n%s", encoding, n, err, body)
			}

			if got.Header.Get("Content-Encoding") != encoding || got.Header.Get("Etag") != tag ||
				got.Header.Get("x-cache") != "HIT" ||
				!slices.ContainsFunc(got.Header["Vary"], func(v string) bool {
					return strings.Contains(v, "Accept-Encoding")
				}) {
				t.Fatalf("answer %d has %v", n, got.Header)
			}
		}

		again := g.do(t, "GET", path, request{header: map[string]string{"Accept-Encoding": encoding,
			"If-None-Match": tag}})
		if again.StatusCode != http.StatusNotModified || len(again.body) > 0 || again.Header.Get("Etag") != tag {
			t.Errorf("If-None-Match in %s: got %d %v", encoding, again.StatusCode, again.Header)
		}
	}
}
