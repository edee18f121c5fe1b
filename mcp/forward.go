package mcp

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

// forward answers a message: the usual ones here, all others through mcp-go.
func (h *Handler) forward(w *response, r *http.Request, m *message) {
	if m.Method == cancelled { // mcp-go would look among the calls of all clients
		w.WriteHeader(http.StatusAccepted)
		return
	}
	inOrder := m.inOrder(r)
	if m.errand != nil {
		if inOrder || h.accepts(w, r, m) {
			h.answer(w, r, m)
		}
		return
	}
	if list := h.lists.list(m); inOrder && list != nil {
		sendJSON(w, http.StatusOK, list)
		return
	}
	if m.Method == "tools/call" {
		m = m.withoutArguments()
	}
	if fault := m.check(); fault != nil {
		fault.answer(w, m)
		return
	}
	r = h.withMessage(r, m)
	switch {
	case m.Method == "subscriptions/listen" && !m.notification():
		h.subscribe(w, r, m)
	case m.Method == "resources/read" && inOrder:
		h.readOther(w, r, m)
	default:
		h.protocol.ServeHTTP(w, r)
	}
}

// withMessage is the request with a message in place of its body.
func (h *Handler) withMessage(r *http.Request, m *message) *http.Request {
	r = r.WithContext(context.WithValue(r.Context(), requestKey{}, r))
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(m.body)), int64(len(m.body))
	return r
}

// requestKey is where a context has the request that mcp-go answers.
type requestKey struct{}

type acceptedKey struct{}

// accept notes that mcp-go would do the errand of a message.
func accept(ctx context.Context) {
	if accepted, ok := ctx.Value(acceptedKey{}).(*bool); ok {
		*accepted = true
	}
}

// accepts has mcp-go judge a message that asks for an operation. If it is not in
// order, mcp-go's answer is the answer.
func (h *Handler) accepts(w *response, r *http.Request, m *message) (accepted bool) {
	m = m.withoutArguments()
	if fault := m.check(); fault != nil {
		fault.answer(w, m)
		return false
	}
	answer := newCapture()
	r = r.WithContext(context.WithValue(r.Context(), acceptedKey{}, &accepted))
	h.protocol.ServeHTTP(answer, h.withMessage(r, m))
	if !accepted {
		answer.copyTo(w)
	}
	return accepted
}
