package mcp

import (
	"context"
	"net/http"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/op/problem"
)

// largeMessage is the size in bytes above which reading a message costs more CPU than rejecting it early. Larger
// messages, and messages of unknown length, are rate limited before they are read, even though they may turn out to be
// tool calls.
const largeMessage = 16 << 10

// post answers a message. unauthenticated is the reason why the caller could not be authenticated, or nil for an
// authenticated caller. A tool call reports it as its own error.
func (h *Handler) post(w *response, r *http.Request, caller *account.Caller,
	unauthenticated *problem.Problem) {
	large := r.ContentLength < 0 || r.ContentLength > largeMessage
	if large && !h.admit(w, r, caller) {
		return
	}

	body, refused := h.readBody(w, r)
	if refused != nil {
		h.refuse(w, r, refused)
		return
	}

	m, f := parseMessage(r, body)
	if f == nil {
		m.invocation = h.invocation(m)
	}

	invokes := f == nil && m.invocation != nil
	if f == nil && unauthenticated == nil {
		m.caller = caller
	}

	switch {
	case unauthenticated != nil && !invokes:
		h.refuse(w, r, unauthenticated)
	case !invokes && !large && !h.admit(w, r, caller): // the gateway admits invocations itself
	case f != nil:
		f.write(w, http.StatusBadRequest, nil)
	case m.modern:
		h.forward(w, r, m)
	default:
		h.postLegacy(w, r, m)
	}
}

// postLegacy answers a message of a revision with sessions.
func (h *Handler) postLegacy(w *response, r *http.Request, m *message) {
	if v := r.Header.Get(protocol.HeaderProtocolVersion); v != "" && !protocol.IsValidProtocolVersion(v) {
		h.refuse(w, r, problem.Invalid(&problem.InputError{
			Parameter: "MCP-Protocol-Version", Code: problem.NotOneOf, Received: problem.Excerpt(v),
			Accepted: "one of " + strings.Join(protocol.ValidProtocolVersions, ", "),
		}))
		return
	}

	c, refused := h.session(r, m.caller)
	switch {
	case m.Method == "initialize":
		w.Header().Set(sessionHeader, h.newSession(m.caller.Account()))
		h.forward(w, r, m)
	case refused != nil:
		h.refuse(w, r, refused)
	case m.Method == "": // a response, although the server sends no requests
		w.WriteHeader(http.StatusAccepted)
	case c.session == "" || m.isNotification():
		if m.Method == cancelled && c.session != "" {
			h.sessions.cancel(callID{c, string(m.Params["requestId"])})
		}
		h.forward(w, r, m)
	default:
		ctx, end := h.sessions.begin(r.Context(), callID{c, string(m.ID)})
		defer end()
		h.forward(w, r.WithContext(ctx), m)
		if !w.started && context.Cause(ctx) == errCancelled {
			w.WriteHeader(http.StatusAccepted) // a cancelled call has no answer
		}
	}
}

// cancelled is the notification by which clients of the older revisions cancel a call. Clients of the newer ones close
// the request.
const cancelled = "notifications/cancelled"
