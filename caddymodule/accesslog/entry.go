package accesslog

import (
	"errors"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// entry is a request that is being answered.
type entry struct {
	answer        caddyhttp.ResponseRecorder
	method        string
	start         time.Time
	status        int  // with which Caddy answers if the handlers write nothing; 0 if they panicked
	toErrorRoutes bool // the error routes answer, and write the line
}

// pendingVar is the Caddy variable with the entry of a request that the error routes will answer.
const pendingVar = "rodata_log"

// beginEntry returns a new entry for a request. In the error routes, it returns the entry that the site's routes began.
func beginEntry(w http.ResponseWriter, r *http.Request, vars map[string]any) *entry {
	answer := caddyhttp.NewResponseRecorder(w, nil, nil)
	if before, ok := vars[pendingVar].(*entry); ok {
		return &entry{answer: answer, method: before.method, start: before.start}
	}
	return &entry{answer: answer, method: r.Method, start: time.Now()}
}

// finish records the error that the next handlers returned, unless they panicked.
func (e *entry) finish(err error, r *http.Request, vars map[string]any) {
	if err == nil {
		e.status = http.StatusOK
		return
	}

	if cause, answering := r.Context().Value(caddyhttp.ErrorCtxKey).(error); answering {
		e.status = statusOf(cause) // Caddy answers with the status of the first error
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
