package rest

import (
	"net/http"
	"strings"

	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/op"
)

// exchange is one request and its answer.
type exchange struct {
	*Handler
	w       http.ResponseWriter
	r       *http.Request
	id      string // the client's request ID, echoed
	baseURL func(*http.Request) string
	trusted string // the trusted origin that may use a session; empty for none
	wrote   bool   // an answer has begun
}

func (h *Handler) exchange(w http.ResponseWriter, r *http.Request) exchange {
	return exchange{Handler: h, w: w, r: r, id: op.RequestID(r.Header), baseURL: h.BaseURL}
}

// serve finds the route and answers.
func (x *exchange) serve() {
	if x.Delegate != nil {
		if delegate := x.Delegate(x.r.URL.Path); delegate != nil {
			x.handOver(delegate)
			return
		}
	}

	o, inPath, found := x.router.Match(x.r.Method, routePath(x.r))
	x.r.Pattern = found.Pattern // for the access log
	x.trustOrigin(o)
	callback := x.callback(o)
	switch {
	case callback != nil:
		x.receive(callback)
	case o != nil && o.HasRows():
		x.answerByRow(o)
	case o != nil && o.IsFollowable():
		x.answerFollowed(o, inPath)
	case o != nil && o.Download && !x.admitReader(): // it has been answered
	case o != nil:
		call := op.Call{InPath: inPath}
		x.read(&call, o)
		call.OwnPage = x.Visitors != nil && o.Cost > 0 && x.Visitors.recognises(x.r, call.Address, x.baseURL)
		reply := x.Gateway.Do(x.r.Context(), o.ForMedia(call.Media), &call)
		x.linkNext(reply)
		x.write(reply)
	case found.Allow != "":
		x.otherMethod(found.Allow)
	case x.r.URL.Path == "/openapi.json":
		x.r.Pattern = x.r.URL.Path
		x.page(x.writeDescription)
	case strings.HasPrefix(x.r.URL.Path, "/problems/"):
		x.r.Pattern = "/problems/{kind}"
		x.page(x.documentProblem)
	default:
		x.refuse(x.router.NothingAt(x.r.URL.Path, x.baseURL(x.r)))
	}
}

// recover answers with a problem after a panic.
func (x *exchange) recover() {
	if cause := recover(); cause != nil {
		x.refuse(op.Panicked(cause, x.wrote, x.r, x.Logger, x.LogPath(x.r.URL.Path)))
	}
}

// noCost is the header value for free answers. It is shared and must not be modified.
var noCost = []string{"0"}

// handOver lets a delegate answer, without the headers of this channel.
func (x *exchange) handOver(delegate http.Handler) {
	if x.id != "" {
		x.w.Header()["X-Request-Id"] = x.r.Header["X-Request-Id"]
	}

	x.w.Header()["x-credits-cost"] = noCost
	x.serveWith(delegate)
}

// serveWith lets another handler answer, and records whether an answer has begun, even if the handler panics.
func (x *exchange) serveWith(h http.Handler) {
	w := &web.Tracker{ResponseWriter: x.w}
	defer func() { x.wrote = w.Began }()
	h.ServeHTTP(w, x.r)
}

// serveVisitor gives a visitor a ticket, and serves the page.
func (x *exchange) serveVisitor(page http.Handler) {
	if x.Visitors != nil {
		x.Visitors.setTicket(x.w, x.r, x.Address(x.r), x.baseURL(x.r))
	}
	x.serveWith(page)
}
