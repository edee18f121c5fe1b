package caddymodule

import (
	"cmp"
	"errors"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/rest"
)

func init() { caddy.RegisterModule(new(ProblemHandler)) }

// ProblemHandler is the Caddy handler http.handlers.rodata_problem. In handle_errors, it answers Caddy's own errors
// with a problem: a page for browsers, if the site is served, and JSON for other clients. Outside of handle_errors, it
// answers with Status.
type ProblemHandler struct {
	// Status is the HTTP status outside of handle_errors. Default: 404.
	Status int `json:"status,omitempty"`

	guest
}

// CaddyModule returns the handler's registration.
func (*ProblemHandler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.rodata_problem", New: func() caddy.Module { return new(ProblemHandler) }}
}

// ServeHTTP answers with the problem of the error that Caddy is handling.
func (h *ProblemHandler) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	p := h.problemOf(r)
	if p.Status() == http.StatusServiceUnavailable {
		p.RetryAfter = time.Second
	}
	// The page omits the details of a web server's error, which only programs need.
	shown := &problem.Problem{Kind: p.Kind, ID: p.ID, RetryAfter: p.RetryAfter}
	if !h.app.servesProblem(w, r, shown) {
		rest.Refuse(w, r, p, h.app.URL)
	}

	return nil
}

func (h *ProblemHandler) problemOf(r *http.Request) *problem.Problem {
	err, _ := r.Context().Value(caddyhttp.ErrorCtxKey).(error)
	if err == nil {
		err = caddyhttp.Error(cmp.Or(h.Status, http.StatusNotFound), nil)
	}

	status := http.StatusInternalServerError
	var handlerError caddyhttp.HandlerError
	if errors.As(err, &handlerError) && handlerError.StatusCode >= 400 {
		status = handlerError.StatusCode
	}
	if status == http.StatusNotFound {
		return problem.NotFound.New("there is nothing at this address; /openapi.json lists what there is")
	}

	kind := problem.ForStatus(status)
	p := kind.New("%s %s", kind.Meaning, kind.Remedy)
	p.ID = handlerError.ID // the log has it with the cause
	return p
}
