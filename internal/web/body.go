package web

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"github.com/rodata/rodata/op/problem"
)

// ReadBody reads the uncompressed body of a request, of at most limit bytes. Errors are problems.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	var body bytes.Buffer
	err := CopyBody(&body, w, r, limit)
	return body.Bytes(), err
}

// CopyBody copies the uncompressed body of a request, of at most limit bytes. Errors are problems, or those of dst.
func CopyBody(dst io.Writer, w http.ResponseWriter, r *http.Request, limit int64) error {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return problem.UnsupportedMediaType.New("the body is compressed; send it uncompressed")
	}

	_, err := io.Copy(dst, http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		if _, known := errors.AsType[*problem.Problem](err); known { // dst failed
			return err
		}
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			return problem.PayloadTooLarge.New("the body is larger than the limit of %d bytes", limit)
		}
		return problem.Invalid(&problem.InputError{Code: problem.Malformed, Accepted: "a complete body",
			Reason: "the body ended before it was complete"})
	}

	return nil
}
