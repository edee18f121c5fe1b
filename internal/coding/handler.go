package coding

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
)

// Handler compresses the answers of a handler while they are written, except short ones and parts of a file.
func Handler(h http.Handler) http.Handler { return wrap(h) }

var wrap = func() func(http.Handler) http.HandlerFunc {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(smallest), gzhttp.SuffixETag("-gzip")) // or -zstd
	if err != nil {                                                                      // for options that contradict each other
		panic(err)
	}
	return wrap
}()
