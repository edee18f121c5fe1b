// Package rest is the REST channel: it serves the operations of api over HTTP, with headers, problems and CORS. A
// Handler is a plain http.Handler; functions in its Options tell it what it needs to know about the web server.
package rest

import (
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/openapi"
	"github.com/rodata/rodata/op/problem"
)

// Options configure a Handler. Visitors and Delegate are optional.
type Options struct {
	// Gateway answers the calls of operations.
	Gateway *op.Gateway
	// Operations is the table that requests are matched against, and Callbacks are additional routes.
	Operations []*op.Operation
	Callbacks  []*op.Callback
	// BaseURL returns the service's address as in the request, without a trailing slash.
	BaseURL func(*http.Request) string
	// Address returns the client's address; the zero address if it has none.
	Address func(*http.Request) netip.Addr
	// Buckets limit requests other than operations, for each address. They outlive the Handler.
	Buckets *metering.Buckets
	// Events limits the events that callbacks read concurrently. It outlives the Handler.
	Events *op.Slots
	// Streams are the streams that callers follow. Closing them ends all.
	Streams *op.Streams
	// Visitors recognises calls of the site's own pages; nil if they get no special treatment.
	Visitors *Visitors
	// Delegate returns the handler of a path without an operation, such as sign-in; nil for all other paths.
	Delegate func(path string) http.Handler
	// LogPath redacts secrets in a path for the log.
	LogPath func(path string) string
	Logger  *slog.Logger
}

// Handler answers REST requests: operations, /openapi.json and the documentation of problems. It may be used
// concurrently.
type Handler struct {
	Options
	router      *Router
	description *openapi.Description
}

// New returns a Handler.
func New(o Options) *Handler {
	routes := slices.Clone(o.Operations)
	for _, c := range o.Callbacks {
		routes = append(routes, c.Operation)
	}
	return &Handler{Options: o, router: NewRouter(routes),
		description: api.NewDescription(o.Operations, o.Callbacks...)}
}

// Handles reports whether a path belongs to this channel, including unknown paths below its prefixes.
func Handles(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return first == "v1" || first == "problems" || path == "/health" || path == "/openapi.json" ||
		path == proof.SigningKeysPath
}

// ServeHTTP answers a request. It panics only with http.ErrAbortHandler, if an answer that has begun cannot be
// completed.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := h.exchange(w, r)
	defer x.recover()
	x.serve()
}

// ServePage serves a page of the site with its handler. It applies the rate limit and gives visitors a ticket, which
// identifies the calls that their pages make.
func (h *Handler) ServePage(w http.ResponseWriter, r *http.Request, page http.Handler) {
	x := h.exchange(w, r)
	defer x.recover()
	x.page(func() { x.serveVisitor(page) })
}

// ServeLivePage serves a page like ServePage, but without its rate limit, because the operations that the page calls
// have their own.
func (h *Handler) ServeLivePage(w http.ResponseWriter, r *http.Request, page http.Handler) {
	x := h.exchange(w, r)
	defer x.recover()
	if x.isReadOnly() {
		x.serveVisitor(page)
	}
}

// ServeForm answers a request that submits a form of the site. It applies the rate limit of ServePage; the operation
// behind the form has its own limits.
func (h *Handler) ServeForm(w http.ResponseWriter, r *http.Request, page http.Handler) {
	x := h.exchange(w, r)
	defer x.recover()
	if x.admitReader() {
		x.serveWith(page)
	}
}

// Refuse answers a request with a problem if no Handler is available.
func Refuse(w http.ResponseWriter, r *http.Request, p *problem.Problem, baseURL func(*http.Request) string) {
	x := exchange{w: w, r: r, id: op.RequestID(r.Header), baseURL: baseURL}
	x.refuse(p)
}
