package rest

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A client that accepts a content coding gets the OpenAPI description compressed and with its own entity tag. The
// first two requests get a quickly compressed body. Later requests share a smaller one.
func TestRepeatedDocumentIsSentCompressed(t *testing.T) {
	for encoding, unpack := range map[string]func(io.Reader) (io.Reader, error){
		"gzip": func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"zstd": func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) },
	} {
		synctest.Test(t, func(t *testing.T) {
			h := newHandler(t)
			ask := func(method string, header ...string) (*http.Response, []byte) {
				t.Helper()
				r := newRequest(method, "/openapi.json", nil)
				for i := 0; i < len(header); i += 2 {
					r.Header.Set(header[i], header[i+1])
				}

				res := answer(h, r)
				body, _ := io.ReadAll(res.Body)
				if !slices.Contains(res.Header["Vary"], "Accept-Encoding") {
					t.Errorf("%s with %q has Vary %q", method, header, res.Header["Vary"])
				}

				synctest.Wait()
				return res, body
			}

			plain, text := ask("GET")
			first, larger := ask("GET", "Accept-Encoding", encoding)
			if first.Header.Get("Content-Encoding") != encoding || len(larger) >= len(text) {
				t.Errorf("the first compressed response has %d bytes of %d, headers %v", len(larger), len(text),
					first.Header)
			}

			ask("GET", "Accept-Encoding", encoding)

			res, packed := ask("GET", "Accept-Encoding", encoding)
			r, err := unpack(bytes.NewReader(packed))
			if err != nil {
				t.Fatalf("%v: %v", err, res.Header)
			}
			if unpacked, err := io.ReadAll(r); err != nil || !bytes.Equal(unpacked, text) {
				t.Errorf("the decompressed document differs from the original: %v", err)
			}

			tag, length := res.Header.Get("Etag"), strconv.Itoa(len(packed))
			if res.Header.Get("Content-Encoding") != encoding || res.Header.Get("Content-Length") != length ||
				len(packed) >= len(larger) ||
				tag != first.Header.Get("Etag") || tag == "" || tag == plain.Header.Get("Etag") {
				t.Errorf("the third compressed response has %d bytes, headers %v", len(packed), res.Header)
			}

			if res, body := ask("HEAD", "Accept-Encoding", encoding); len(body) > 0 ||
				res.Header.Get("Content-Encoding") != encoding ||
				res.Header.Get("Content-Length") != length || res.Header.Get("Etag") != tag {
				t.Errorf("HEAD has headers %v and %d bytes of body", res.Header, len(body))
			}

			if res, body := ask("GET", "Accept-Encoding", encoding, "If-None-Match",
				tag); res.StatusCode != http.StatusNotModified ||
				len(body) > 0 || res.Header.Get("Etag") != tag || res.Header["Content-Encoding"] != nil {
				t.Errorf("with If-None-Match: %s %v", res.Status, res.Header)
			}

			if res, body := ask("GET"); res.Header["Content-Encoding"] != nil || !bytes.Equal(body, text) ||
				res.Header.Get("Etag") != plain.Header.Get("Etag") {
				t.Errorf("without Accept-Encoding: %v", res.Header)
			}
		})
	}
}
