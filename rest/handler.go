// Package rest is the REST channel: HTTP requests in, the answers of api out, with their headers, problems and CORS. A
// Handler is a plain http.Handler; Options has functions for its questions about the web server.
package rest

import (
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
	"github.com/rodata/rodata/metering"
)

// Options configure a Handler. Visitors and Delegate are optional.
type Options struct {
	// Gateway answers the calls of operations.
	Gateway *api.Gateway
	// Operations is the table that requests are matched against, and Callbacks are additional routes.
	Operations []*api.Operation
	Callbacks  []*api.Callback
	// BaseURL returns the service's address as in the request, without a trailing slash.
	BaseURL func(*http.Request) string
	// Address returns the client's address; the zero address if it has none.
	Address func(*http.Request) netip.Addr
	// Buckets limit requests other than operations, for each address. They outlive the Handler.
	Buckets *metering.Buckets
	// Events limits the events that callbacks read concurrently. It outlives the Handler.
	Events *api.Slots
	// Streams are the streams that callers follow. Closing them ends all.
	Streams *api.Streams
	// Visitors recognises calls of the site's own pages; nil if they get no special treatment.
	Visitors *Visitors
	// Delegate returns the handler of a path without an operation, such as sign-in; nil for all other paths.
	Delegate func(path string) http.Handler
	// LogPath hides secrets in a logged path.
	LogPath func(path string) string
	Logger  *slog.Logger
}

// Handler answers REST requests: operations, /openapi.json and the documentation of problems. It may be
// used concurrently.
type Handler struct {
	Options
	router      *Router
	description *api.Description
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
		path == api.SigningKeysPath
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
	if x.readOnly() {
		x.serveVisitor(page)
	}
}

// serveVisitor gives a visitor a ticket, and serves the page.
func (x *exchange) serveVisitor(page http.Handler) {
	if x.Visitors != nil {
		x.Visitors.setTicket(x.w, x.r, x.Address(x.r), strings.HasPrefix(x.baseURL(x.r), "https:"))
	}
	x.serveWith(page)
}

// ServeForm answers a request that sends a form of the site. Like ServePage, it limits readers;
// the operation behind the form has its own limits.
func (h *Handler) ServeForm(w http.ResponseWriter, r *http.Request, page http.Handler) {
	x := h.exchange(w, r)
	defer x.recover()
	if x.admitReader() {
		x.serveWith(page)
	}
}

// Refuse answers a request with a problem if no Handler is available.
func Refuse(w http.ResponseWriter, r *http.Request, p *problem.Problem, baseURL func(*http.Request) string) {
	x := exchange{w: w, r: r, id: api.RequestID(r.Header), baseURL: baseURL}
	x.refuse(p)
}

// exchange is one request and its answer.
type exchange struct {
	*Handler
	w       http.ResponseWriter
	r       *http.Request
	id      string // the client's request ID, echoed
	baseURL func(*http.Request) string
	wrote   bool

	trusted string // the trusted origin that may use a session; empty for none
}

func (h *Handler) exchange(w http.ResponseWriter, r *http.Request) exchange {
	return exchange{Handler: h, w: w, r: r, id: api.RequestID(r.Header), baseURL: h.BaseURL}
}

// serve finds the route and answers.
func (x *exchange) serve() {
	if x.Delegate != nil {
		if delegate := x.Delegate(x.r.URL.Path); delegate != nil {
			x.handOver(delegate)
			return
		}
	}

	op, inPath, allow := x.router.Match(x.r.Method, x.r.URL.Path)
	x.r.Pattern = x.pattern(op, allow)
	x.admitPage(op)
	callback := x.callback(op)
	switch {
	case callback != nil:
		x.receive(callback)
	case op != nil && op.ByRow():
		x.answerByRow(op)
	case op != nil && op.Followable():
		x.followed(op, inPath)
	case op != nil && op.Download && !x.admitReader(): // it has been answered
	case op != nil:
		call := api.Call{InPath: inPath}
		x.read(&call, op)
		call.OwnPage = x.Visitors != nil && op.Cost > 0 && x.Visitors.recognises(x.r, call.Address)
		reply := x.Gateway.Do(x.r.Context(), op.As(call.Media), &call)
		x.linkNext(reply)
		x.write(reply)
	case allow != "":
		x.otherMethod(allow)
	case x.r.URL.Path == "/openapi.json":
		x.page(x.writeDescription)
	case strings.HasPrefix(x.r.URL.Path, "/problems/"):
		x.page(x.documentProblem)
	default:
		x.refuse(x.router.NothingAt(x.r.URL.Path, x.baseURL(x.r)))
	}
}

// pattern returns the route pattern of the request's path for access logs. It is empty if the path has no route.
func (x *exchange) pattern(op *api.Operation, allow string) string {
	switch path := x.r.URL.Path; {
	case op != nil:
		return op.Path
	case allow != "":
		return x.router.Pattern(path)
	case path == "/openapi.json":
		return path
	case strings.HasPrefix(path, "/problems/"):
		return "/problems/{kind}"
	}

	return ""
}

// recover turns a panic into a problem, or aborts the connection once an answer has begun, so that the client notices.
func (x *exchange) recover() {
	cause := recover()
	if cause == nil {
		return
	}
	if cause == http.ErrAbortHandler {
		panic(cause)
	}

	p := api.Panicked(x.r, x.Logger, cause, slog.String("path", x.LogPath(x.r.URL.Path)))
	if x.wrote {
		panic(http.ErrAbortHandler)
	}

	x.refuse(p)
}

// noCost is the header value for free answers. It is shared and must not be modified.
var noCost = []string{"0"}

// handOver lets a delegate answer, without the headers of our own answers.
func (x *exchange) handOver(delegate http.Handler) {
	if x.id != "" {
		x.w.Header()["X-Request-Id"] = x.r.Header["X-Request-Id"]
	}

	x.w.Header()["x-credits-cost"] = noCost
	x.serveWith(delegate)
}

// serveWith lets another handler answer, and records whether an answer has begun, even if the handler panics.
func (x *exchange) serveWith(h http.Handler) {
	w := &trackingWriter{ResponseWriter: x.w}
	defer func() { x.wrote = w.wrote }()
	h.ServeHTTP(w, x.r)
}

// trackingWriter records whether an answer has begun.
type trackingWriter struct {
	http.ResponseWriter
	wrote bool
}

func (w *trackingWriter) WriteHeader(status int) {
	w.wrote = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *trackingWriter) Write(p []byte) (int, error) {
	w.wrote = true
	return w.ResponseWriter.Write(p)
}

// Unwrap returns the wrapped writer, for http.ResponseController.
func (w *trackingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
