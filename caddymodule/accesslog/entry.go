package accesslog

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// entry is a request that is being answered, and the writer of its answer.
type entry struct {
	http.ResponseWriter
	method        string
	start         time.Time
	status        int // 0 until the answer begins
	bytes         int64
	toErrorRoutes bool // the error routes answer, and write the line
}

// pendingVar is the Caddy variable with the entry of a request that the error routes will answer.
const pendingVar = "rodata_log"

// beginEntry returns a new entry for a request. In the error routes, it returns the entry that the site's routes began.
func beginEntry(w http.ResponseWriter, r *http.Request, vars map[string]any) *entry {
	if before, ok := vars[pendingVar].(*entry); ok {
		return &entry{ResponseWriter: w, method: before.method, start: before.start}
	}
	return &entry{ResponseWriter: w, method: r.Method, start: time.Now()}
}

// finish records the error that the next handlers returned, unless they panicked.
func (e *entry) finish(err error, r *http.Request, vars map[string]any) {
	if err == nil {
		e.begin(http.StatusOK)
		return
	}

	if cause, answering := r.Context().Value(caddyhttp.ErrorCtxKey).(error); answering {
		e.begin(statusOf(cause)) // Caddy answers with the status of the first error
		return
	}

	e.toErrorRoutes, vars[pendingVar] = true, e
}

// statusOf returns the status with which Caddy answers an error.
func statusOf(err error) int {
	if failure, ok := errors.AsType[caddyhttp.HandlerError](err); ok && failure.StatusCode != 0 {
		return failure.StatusCode
	}
	return http.StatusInternalServerError
}

// begin records the status of the answer, unless it has begun.
func (e *entry) begin(status int) {
	if e.status == 0 {
		e.status = status
	}
}

// WriteHeader implements http.ResponseWriter.
func (e *entry) WriteHeader(status int) {
	if status >= 200 || status == http.StatusSwitchingProtocols {
		e.begin(status)
	}
	e.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (e *entry) Write(p []byte) (int, error) {
	e.begin(http.StatusOK)
	n, err := e.ResponseWriter.Write(p)
	e.bytes += int64(n)
	return n, err
}

// ReadFrom implements io.ReaderFrom, so that the kernel can send files.
func (e *entry) ReadFrom(r io.Reader) (int64, error) {
	e.begin(http.StatusOK)
	n, err := io.Copy(e.ResponseWriter, r)
	e.bytes += n
	return n, err
}

// Unwrap returns the wrapped writer, for http.ResponseController.
func (e *entry) Unwrap() http.ResponseWriter { return e.ResponseWriter }
