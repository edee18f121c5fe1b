// Package mcp is the MCP channel: the table's operations as tools, at one endpoint that supports the protocol revisions
// from 2024-11-05 to 2026-07-28.
//
// A tool call goes through the same [op.Gateway.Do] as a REST request, so that both have the same validation, costs,
// limits and answers; the same holds for reading a resource. This package authenticates callers, separates sessions and
// checks messages before mcp-go answers them, and replaces the answers for which mcp-go has no hook
// (docs/decisions/0004).
package mcp

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/recent"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// Path is the path of the endpoint, below the service's base address.
const Path = "/mcp"

// Options configure a Handler. Gateway, Operations, BaseURL, Address and Logger are required, all others have defaults.
type Options struct {
	// Gateway runs the tool calls.
	Gateway *op.Gateway
	// Operations is the table; operations with Tool set become tools.
	Operations []*op.Operation
	// BaseURL returns the address of the service without a trailing slash, for problems in answers to a request.
	BaseURL func(*http.Request) string
	// Address returns the client's address for a request; behind a trusted proxy, this is the address that the proxy
	// reports.
	Address func(*http.Request) netip.Addr
	// AllowedOrigins are the origins of web pages that may call, besides the service's own host and this machine's
	// loopback address; * allows all.
	AllowedOrigins web.Origins
	// MaxBody is the maximum size of a request in bytes; default 256 KiB.
	MaxBody int64
	// Timeout is the maximum duration of a tool call; default 30 seconds.
	Timeout time.Duration
	// Challenge holds further parameters of the header WWW-Authenticate, which lead clients to the authorization
	// server. They are sent with a 401, and with a 403 for a missing scope. If it is set, a tool call that needs an
	// account is answered with HTTP 401 instead of a JSON-RPC error, because clients start authorization only after
	// that status. Default: none.
	Challenge string
	// Changes is the source of subscription updates. Default: resources cannot be subscribed to.
	Changes Changes
	// Logger receives panics and failed reads of changes.
	Logger *slog.Logger
}

// Handler is the endpoint, with the documents by which clients find it. It is an http.Handler for the paths that
// [Handles] accepts.
type Handler struct {
	Options
	tools     map[string]*tool
	transport interface { // answers messages: a *server.StreamableHTTPServer
		Handle(server.HTTPResponseWriter, *server.HTTPRequest)
	}
	ended   *recent.Memory[client, struct{}] // sessions of the older revisions
	streams *op.Streams
}

// New returns a handler. It must be closed.
func New(o Options) *Handler {
	o.MaxBody, o.Timeout = cmp.Or(o.MaxBody, 256<<10), cmp.Or(o.Timeout, 30*time.Second)
	h := &Handler{Options: o, tools: newTools(o.Operations), ended: recent.New[client, struct{}](2 * maxEnded),
		streams: op.NewStreams()}
	h.transport = server.NewStreamableHTTPServer(h.newServer(), server.WithStateLess(true),
		server.WithStreamableHTTPLogger(h.Logger))
	return h
}

// Close ends the open streams. Calls in flight continue.
func (h *Handler) Close() { h.streams.Close() }

// Recheck makes the streams of an account authenticate their callers again, or all streams for account.Everyone.
func (h *Handler) Recheck(id string) { h.streams.Recheck(id) }

// methods are the HTTP methods of the endpoint. GET is not one of them: the protocol lets servers decide whether to
// offer such a stream, and clients continue without one.
const methods = "DELETE, OPTIONS, POST"

// ServeHTTP handles one request. It answers messages in JSON-RPC. If the caller is not admitted or the body is not a
// message, it answers with an HTTP error status and a problem.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := &web.Tracker{ResponseWriter: w}
	w.Header().Del("Server")
	if op.RequestID(r.Header) != "" {
		w.Header()["X-Request-Id"] = r.Header["X-Request-Id"]
	}
	defer func() {
		if p := op.Panicked(recover(), out.Began, r, h.Logger, Path); p != nil {
			h.refuse(out, r, p)
		}
	}()

	if path := r.URL.Path; path == cardPath || path == catalogPath {
		h.discover(out, r)
		return
	}
	if !h.allowOrigin(out, r) {
		h.refuse(out, r, problem.Forbidden.New("pages of the origin %s may not call this endpoint; its operator can "+
			"allow them", problem.Quoted(r.Header.Get("Origin"))))
		return
	}

	if r.Method == http.MethodOptions {
		web.AnswerOptions(out, methods)
		return
	}

	caller, refused := h.Gateway.Authenticate(r.Context(), h.call(r, nil, nil))
	switch {
	case refused != nil && (r.Method != http.MethodPost || refused.Kind == problem.Unauthorized ||
		refused.Kind == problem.InvalidRequest):
		h.refuse(out, r, refused)
	case r.Method == http.MethodPost:
		h.post(out, r, &caller, refused)
	case hasModernHeader(r):
		h.refuseMethod(out, r, http.MethodPost)
	case r.Method == http.MethodDelete:
		h.endSession(out, r, &caller)
	default:
		h.refuseMethod(out, r, methods)
	}
}

// allowOrigin decides whether the page behind a request may call, and sets the CORS headers. Clients other than
// browsers send no Origin.
func (h *Handler) allowOrigin(w http.ResponseWriter, r *http.Request) bool {
	header := w.Header()
	header.Add("Vary", "Origin")
	switch {
	case len(r.Header.Values("Origin")) == 0:
		return true
	case !h.AllowedOrigins.AllowsPage(r, h.BaseURL(r)):
		return false
	}

	web.AllowAnyPage(header)
	header.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	return true
}

// protocolRate is the rate of each caller's messages, unless its calls have a higher one. It is high because small
// messages are cheap, and the connectors of many users may share an address.
var protocolRate = metering.PerSecond(100, 1000)

// admit takes tokens, at most half of a burst, from the caller's bucket for messages, which is not the one of its
// calls. Without enough tokens, it answers with a problem and returns false.
func (h *Handler) admit(w http.ResponseWriter, r *http.Request, caller *account.Caller, tokens int64) bool {
	id := caller.Bucket()
	id.Account = "mcp " + id.Account
	rate := h.Gateway.RateOf(caller)
	rate = metering.PerSecond(max(rate.N, protocolRate.N), max(rate.Burst, protocolRate.Burst))
	allowance := h.Gateway.Buckets.TakeMore(id, rate, int(min(tokens, int64(protocolRate.Burst)/2)))
	if allowance.OK {
		return true
	}

	p := problem.RateLimited.New("more than %d messages a second (%d at once) came from this caller; wait as "+
		"Retry-After says", rate.N, rate.Burst).After(allowance.RetryAfter)
	h.write(w, r, &op.Reply{Problem: p, Allowance: allowance})
	return false
}

func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, p *problem.Problem) {
	h.write(w, r, &op.Reply{Problem: p})
}

func (h *Handler) refuseMethod(w http.ResponseWriter, r *http.Request, allow string) {
	w.Header().Set("Allow", allow)
	h.refuse(w, r, problem.MethodNotAllowed.New("%s is not answered here; accepted: %s. This is an MCP endpoint: POST "+
		"messages to it. There is no stream of events for GET: send subscriptions/listen of revision 2026-07-28, or "+
		"call the tool list_changes", problem.Quoted(r.Method), allow))
}

// write sends the problem of a reply as REST does.
func (h *Handler) write(w http.ResponseWriter, r *http.Request, reply *op.Reply) {
	reply.Status, reply.Credits = reply.Problem.Status(), -1
	reply.WriteHeader(w.Header())
	h.challenge(w.Header(), r, reply)
	web.WriteProblem(w, reply.Problem, h.BaseURL(r))
}

// challenges reports whether a problem is one that a client solves by asking its user. The problem is nil for a
// success.
func (h *Handler) challenges(p *problem.Problem) bool {
	return h.Challenge != "" && p != nil && (p.Kind == problem.Unauthorized || p.Kind == problem.InsufficientScope)
}

// challenge tells a client where to get a token, or one for more scopes. A client that has sent no credentials gets no
// error code (RFC 6750, section 3.1).
func (h *Handler) challenge(header http.Header, r *http.Request, reply *op.Reply) {
	switch {
	case !h.challenges(reply.Problem):
	case r.Header.Get("Authorization") == "" && r.Header.Get("X-Api-Key") == "":
		header.Set("WWW-Authenticate", "Bearer "+h.Challenge)
	default:
		header.Set("WWW-Authenticate", header.Get("WWW-Authenticate")+", "+h.Challenge)
	}
}
