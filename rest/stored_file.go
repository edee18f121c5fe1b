package rest

import (
	"log/slog"
	"net/http"
	"os"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
)

// sendStored sends a file from disk, or the parts of it that the request names in Range. The answer to a request with
// If-None-Match or If-Range depends on the file's tag.
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
	x.head()
	h["Content-Type"], h["Etag"] = doc.File.Type, []string{doc.ETag()}
	x.wrote = true
	http.ServeContent(x.w, x.r, "", doc.File.Modified, file)
}
