package rest

import (
	"io"
	"net/http"
)

// rangeWriter suppresses the plain text with which the standard library rejects an unsatisfiable range, so that a
// problem can replace it.
type rangeWriter struct {
	http.ResponseWriter
	refused bool
}

// WriteHeader implements http.ResponseWriter.
func (w *rangeWriter) WriteHeader(status int) {
	if w.refused = status == http.StatusRequestedRangeNotSatisfiable; !w.refused {
		w.ResponseWriter.WriteHeader(status)
	}
}

// Write implements http.ResponseWriter.
func (w *rangeWriter) Write(p []byte) (int, error) {
	if w.refused {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// ReadFrom lets the server send a file without copying it, if possible.
func (w *rangeWriter) ReadFrom(r io.Reader) (int64, error) { return io.Copy(w.ResponseWriter, r) }

// Unwrap returns the wrapped writer, for http.ResponseController.
func (w *rangeWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
