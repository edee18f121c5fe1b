package mcp

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

// forward answers a message. It answers operations and lists itself and passes other messages to mcp-go.
func (h *Handler) forward(w *response, r *http.Request, m *message) {
	if m.Method == cancelled { // mcp-go would search the calls of all clients
		w.WriteHeader(http.StatusAccepted)
		return
	}

	obviouslyValid := m.obviouslyValid(r)
	if obviouslyValid {
		if m.invocation != nil {
			h.answer(w, r, m)
			return
		}
		if list := h.lists.list(m); list != nil {
			sendJSON(w, http.StatusOK, list)
			return
		}
	}

	if m.Method == "tools/call" || m.invocation != nil {
		m = m.withoutArguments()
	}

	f := m.checkParams()
	listens := m.Method == "subscriptions/listen" && m.modern && !m.notification()
	if f == nil && (m.invocation != nil || listens) {
		f = m.validate(r.Header)
	}
	if f != nil {
		f.answer(w, m)
		return
	}

	r = h.withMessage(r, m)
	switch {
	case m.invocation != nil:
		h.answer(w, r, m)
	case listens:
		h.listen(w, r, m)
	case m.Method == "resources/subscribe" && !m.modern && !m.notification():
		h.subscribe(w, r, m)
	case m.Method == "resources/unsubscribe" && !m.modern && !m.notification():
		h.unsubscribe(w, r, m)
	case m.Method == "resources/read" && obviouslyValid && !m.notification():
		h.readOther(w, r, m)
	default:
		h.transport.ServeHTTP(w, r)
	}
}

// withMessage returns the request with a message as its body, for mcp-go.
func (h *Handler) withMessage(r *http.Request, m *message) *http.Request {
	call := h.call(r, nil, nil)
	call.Caller = m.caller
	r = r.WithContext(context.WithValue(r.Context(), callKey{}, call))
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(m.body)), int64(len(m.body))
	return r
}

// callKey is the context key of the gateway call for a request that mcp-go handles.
type callKey struct{}
