// Package compat is the channel for programs written for the registries themselves: it implements the tax authority's
// and the central bank's own protocols, so that such a program only needs a new address. It translates requests into
// operations and replies into the registries' formats. It contains no data and no business rules.
//
// Errors are short plain sentences, because the programs show them to people.
package compat

import (
	"log/slog"
	"net/http"
	"net/netip"
	"strings"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// Channel is the channel's name in logs and metrics.
const Channel = "compat"

// Options configure a Handler. All are required.
type Options struct {
	// Gateway answers the calls of operations.
	Gateway *op.Gateway
	// Operations are the operations behind the routes.
	Operations *Operations
	// Stay delays the service's shutdown for an inquiry that outlives its request, until leave is called. It reports
	// false while the service is closing.
	Stay func() (leave func(), ok bool)
	// Address returns the client's address; the zero address if it has none.
	Address func(*http.Request) netip.Addr
	Logger  *slog.Logger
}

// Handler answers requests in the registries' protocols. It may be used concurrently.
type Handler struct {
	Options
}

// New returns a Handler.
func New(o Options) *Handler { return &Handler{Options: o} }

// ServeHTTP answers a request for a path that Handles reports. It panics only with http.ErrAbortHandler, if an answer
// that has begun cannot be completed.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{Handler: h, w: w, r: r, id: op.RequestID(r.Header)}
	defer x.recover()
	x.serve()
}

// Refuse answers a request with a problem if there is no Handler.
func Refuse(w http.ResponseWriter, r *http.Request, p *problem.Problem) {
	x := &exchange{w: w, r: r, id: op.RequestID(r.Header)}
	x.refuse(p)
}

// exchange is one request and its answer.
type exchange struct {
	*Handler
	w     http.ResponseWriter
	r     *http.Request
	id    string // the client's request ID, echoed
	wrote bool
}

// serve finds the route and answers.
func (x *exchange) serve() {
	rt := routeOf(x.r.URL.Path)
	if rt == nil {
		x.refuse(problem.NotFound.New("there is nothing at this path; %s", nearest(x.r.URL.Path)))
		return
	}

	x.r.Pattern = rt.path
	answer := rt.handler(x.r.Method)
	if answer == nil {
		x.otherMethod(rt)
		return
	}

	answer(x)
}

// call returns the gateway call with the data common to all routes.
func (x *exchange) call() *op.Call {
	return &op.Call{
		Channel:       Channel,
		Authorization: x.r.Header.Get("Authorization"),
		APIKey:        x.r.Header.Get("X-Api-Key"),
		Address:       x.Address(x.r),
		IfNoneMatch:   strings.Join(x.r.Header["If-None-Match"], ","),
		RequestID:     x.id,
	}
}

// recover turns a panic into an error, or aborts the connection once an answer has begun, so that the client notices.
func (x *exchange) recover() {
	cause := recover()
	if cause == nil {
		return
	}
	if cause == http.ErrAbortHandler {
		panic(cause)
	}

	p := x.panicked(cause)
	if x.wrote {
		panic(http.ErrAbortHandler)
	}

	x.refuse(p)
}

func (x *exchange) panicked(cause any) *problem.Problem {
	return op.Panicked(x.r, x.Logger, cause, slog.String("path", x.r.URL.Path))
}
