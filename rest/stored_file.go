package rest

import (
	"log/slog"
	"net/http"
	"os"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
)

// sendStored sends a file from disk, or the parts requested in Range. The file's tag decides requests with
// If-None-Match or If-Range.
func (x *exchange) sendStored(doc *api.Document) {
	file, err := os.Open(doc.File.Path)
	if err != nil { // it has just expired
		x.Logger.Warn("a stored file cannot be opened", slog.Any("error", err))
		x.w.Header().Del("Content-Disposition")
		x.refuse(problem.Unavailable.New("the file cannot be read just now; try again"))
		return
	}
	defer file.Close()

	h := x.w.Header()
	h["Content-Type"], h["Etag"] = doc.File.Type, []string{doc.ETag()}
	w := &rangeWriter{ResponseWriter: x.w}
	x.wrote = true
	http.ServeContent(w, x.r, "", doc.File.Modified, file)
	if w.refused {
		x.wrote = false
		h.Del("Content-Disposition")
		x.refuse(problem.RangeNotSatisfiable.New("the range %q is not in the file; Content-Range has the file's size", x.r.Header.Get("Range")))
	}
}
