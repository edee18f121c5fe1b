package api

import (
	"errors"
	"io"
	"net/http"

	"github.com/rodata/rodata/api/problem"
)

// ReadBody reads the uncompressed body of a request, of at most limit bytes. Errors are problems.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return nil, problem.UnsupportedMediaType.New("the body is compressed; send it uncompressed")
	}

	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			return nil, problem.PayloadTooLarge.New("the body is larger than the limit of %d bytes", limit)
		}
		return nil, problem.Invalid(&problem.InputError{Code: problem.Malformed, Accepted: "a complete body",
			Reason: "the body ended before it was complete"})
	}

	return body, nil
}
