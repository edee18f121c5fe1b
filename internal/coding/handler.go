package coding

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
)

// Handler compresses the responses of h while they are written. Responses of less than 512 bytes and byte ranges of a
// file are sent uncompressed.
func Handler(h http.Handler) http.Handler { return wrap(h) }

var wrap = must(gzhttp.NewWrapper(gzhttp.MinSize(smallest), gzhttp.SuffixETag("-gzip"))) // or -zstd
