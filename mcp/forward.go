package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"

	protocol "github.com/mark3labs/mcp-go/mcp"
)

// forward answers a message. It answers operations and lists itself and passes other messages to mcp-go.
func (h *Handler) forward(w *response, r *http.Request, m *message) {
	if m.Method == cancelled { // mcp-go would search the calls of all clients
		w.WriteHeader(http.StatusAccepted)
		return
	}

	obviouslyValid := m.isObviouslyValid(r)
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
	listens := m.Method == "subscriptions/listen" && m.modern && !m.isNotification()
	if f == nil && (m.invocation != nil || listens) {
		f = m.validate(r.Header)
	}
	if f != nil {
		f.answer(w, m)
		return
	}

	if m.Method != "" && !m.isNotification() {
		w.id, w.standIn = m.ID, mustEncode(rand.Text())
	}

	r = h.withMessage(r, m, w.standIn)
	switch {
	case m.invocation != nil:
		h.answer(w, r, m)
	case listens:
		h.listen(w, r, m)
	case (m.Method == subscribe || m.Method == unsubscribe) && !m.modern && !m.isNotification():
		invalid(protocol.METHOD_NOT_FOUND, "%s is not supported: changes come to subscriptions/listen of revision "+
			"2026-07-28, or call the tool list_changes", m.Method).answer(w, m)
	case m.Method == "resources/read" && obviouslyValid && !m.isNotification():
		h.readOther(w, r, m)
	default:
		h.transport.ServeHTTP(w, r)
	}
}

// The methods by which clients of the older revisions would subscribe. mcp-go acknowledges them without an effect.
const (
	subscribe   = "resources/subscribe"
	unsubscribe = "resources/unsubscribe"
)

// withMessage returns the request with a message as its body, for mcp-go. A stand-in, if it is not nil, replaces the
// message's id, because mcp-go rounds large numbers; the response puts the id back.
func (h *Handler) withMessage(r *http.Request, m *message, standIn json.RawMessage) *http.Request {
	call := h.call(r, nil, nil)
	call.Caller = m.caller
	r = r.WithContext(context.WithValue(r.Context(), callKey{}, call))
	body := m.body
	if standIn != nil {
		stranger := *m
		stranger.ID = standIn
		body = mustEncode(stranger)
	}

	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return r
}

// callKey is the context key of the gateway call for a request that mcp-go handles.
type callKey struct{}
