package rest

import (
	"log/slog"
	"net/http"
	"os"
	"strings"

	"github.com/rodata/rodata/internal/coding"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// sendStored sends a file from disk, or the parts of it that the Range header requests. It honours If-None-Match and
// If-Range by the file's entity tag.
func (x *exchange) sendStored(doc *op.Document) {
	file, err := os.Open(doc.File.Path)
	if err != nil { // it has just expired
		x.Logger.Warn("a stored file cannot be opened", slog.Any("error", err))
		x.w.Header().Del("Content-Disposition")
		x.refuse(problem.Unavailable.New("the file cannot be read right now; try again"))
		return
	}
	defer file.Close()

	h := x.w.Header()
	h["Content-Type"], h["Etag"] = doc.File.Type, []string{doc.ETag()}
	refused := false
	var serve http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ranges := &rangeWriter{ResponseWriter: w}
		http.ServeContent(ranges, r, "", doc.File.Modified, file)
		refused = ranges.refused
	})
	if isCompressible(doc.File.Type[0]) {
		serve = coding.Handler(serve)
		if named := op.NamedTag(strings.Join(x.r.Header["If-None-Match"], ","), doc.ETag()); named != "" {
			h["Etag"] = []string{named} // ServeContent does not know the tags of compressed forms
		}
	}

	x.wrote = true
	serve.ServeHTTP(x.w, x.r)
	if refused {
		x.wrote = false
		h.Del("Content-Disposition")
		x.refuse(problem.RangeNotSatisfiable.New("the range %q is not in the file; Content-Range has the file's size",
			x.r.Header.Get("Range")))
	}
}
