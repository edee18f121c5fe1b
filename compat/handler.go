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
	"net/url"
	"strings"

	"github.com/rodata/rodata/internal/web"
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
	mux http.Handler
}

// New returns a Handler.
func New(o Options) *Handler {
	h := &Handler{Options: o}
	handlers := make(map[string]http.HandlerFunc)
	for pattern, answer := range routes {
		handlers[pattern] = func(w http.ResponseWriter, r *http.Request) { h.answer(w, r, answer) }
	}

	h.mux = web.NewMux(handlers, func(w http.ResponseWriter, r *http.Request, allow string) {
		p := problem.NotFound.New("there is nothing at this path; %s", nearest(r.URL.Path+"/"))
		if allow != "" {
			p = problem.MethodNotAllowed.New("this path does not support the method; use one of: %s", allow)
		}

		Refuse(w, r, p)
	})
	return h
}

// ServeHTTP answers a request for a path that Handles reports. It panics only with http.ErrAbortHandler, if an answer
// that has begun cannot be completed.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	writeHeader(w.Header(), r)
	tidied := r.WithContext(r.Context())
	tidied.URL = &url.URL{Path: tidy(r.URL.Path), RawQuery: r.URL.RawQuery}
	defer func() { // for the access log, without a method
		r.Pattern = tidied.Pattern[max(strings.IndexByte(tidied.Pattern, '/'), 0):]
	}()
	h.mux.ServeHTTP(w, tidied)
}

// answer answers a request, even if a route panics.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, route func(*exchange)) {
	x := &exchange{Handler: h, w: w, r: r}
	defer x.recover()
	route(x)
}

// Refuse answers a request with a problem. It needs no Handler.
func Refuse(w http.ResponseWriter, r *http.Request, p *problem.Problem) {
	writeHeader(w.Header(), r)
	(&exchange{w: w, r: r}).refuse(p)
}

// exchange is one request and its answer.
type exchange struct {
	*Handler
	w     http.ResponseWriter
	r     *http.Request
	wrote bool
}

// call returns the gateway call with the data common to all routes.
func (x *exchange) call() *op.Call {
	return &op.Call{
		Channel:       Channel,
		Authorization: x.r.Header.Get("Authorization"),
		APIKey:        x.r.Header.Get("X-Api-Key"),
		Address:       x.Address(x.r),
		IfNoneMatch:   strings.Join(x.r.Header["If-None-Match"], ","),
		RequestID:     op.RequestID(x.r.Header),
	}
}

// recover answers with a problem after a panic.
func (x *exchange) recover() {
	if p := op.Panicked(recover(), x.wrote, x.r, x.Logger, x.r.URL.Path); p != nil {
		x.refuse(p)
	}
}
