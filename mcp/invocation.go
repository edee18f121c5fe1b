package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/rodata/rodata/api"
)

// invocation is the operation that a message asks for: a tool call, or reading a resource.
// It bypasses mcp-go, which would decode and copy the call several times.
type invocation struct {
	op        *api.Operation
	args      api.Args
	malformed error
	uri       json.RawMessage // of the resource; nil when it is a tool's call
}

// invocation returns the operation that a message asks for; nil when it asks for none.
func (h *Handler) invocation(m *message) *invocation {
	if m.notification() {
		return nil
	}
	switch m.Method {
	case "tools/call":
		if t := h.tools[m.text("name")]; t != nil {
			args, malformed := api.ArgsFromJSON(m.arguments())
			return &invocation{op: t.Operation, args: args, malformed: malformed}
		}
	case "resources/read":
		return h.resource(m)
	}

	return nil
}

// answer runs the message's operation. The facts that REST sends as headers appear both in
// the result and in the response's header.
func (h *Handler) answer(w *response, r *http.Request, m *message) {
	e := m.invocation
	ctx, cancel := context.WithTimeout(r.Context(), h.Timeout)
	defer cancel()
	call := h.call(r, e.args, e.malformed)
	call.Caller = m.caller
	if e.op.ByRow() || e.op.Account {
		call.BaseURL = h.BaseURL(r)
	}
	reply := h.Gateway.Do(ctx, e.op, call)
	if r.Context().Err() != nil {
		return // the client has disconnected
	}
	if reply.Status == http.StatusUnauthorized && h.Challenge != "" {
		h.write(w, r, reply)
		return
	}

	o := outcome{Reply: reply, document: reply.Document, modern: m.modern}
	switch {
	case reply.Problem != nil:
		o.document = api.ProblemDocument(reply.Problem, h.BaseURL(r))
	case o.document == nil: // of a 204
		o.document = nothing
	}

	writeFacts(w.Header(), reply)
	if e.uri != nil && reply.Problem != nil {
		o.resourceFault(e.uri).answer(w, m)
		return
	}

	text := m.begin(1024 + 2*len(o.document.JSON) + len(o.document.JSON)/4)
	if e.uri == nil {
		text = o.appendToolResult(text)
	} else {
		text = o.appendContents(text, e.uri)
	}

	sendJSON(w, http.StatusOK, append(text, "}\n"...))
}

// nothing is the result of a tool that has nothing to tell: clients expect an object.
var nothing = api.NewDocument([]byte("{}"))

// begin returns the beginning of an answer, up to its result, with capacity for that.
func (m *message) begin(room int) []byte {
	text := append(make([]byte, 0, 64+len(m.ID)+room), `{"jsonrpc":"2.0","id":`...)
	return append(append(text, m.ID...), `,"result":`...)
}

// call returns the gateway's call for a request.
func (h *Handler) call(r *http.Request, args api.Args, malformed error) *api.Call {
	return &api.Call{
		Channel: "mcp", Args: args, Malformed: malformed,
		Authorization: r.Header.Get("Authorization"), APIKey: r.Header.Get("X-Api-Key"), Address: h.Address(r), RequestID: api.RequestID(r.Header),
	}
}

// writeFacts writes the reply's headers, except those that only apply to a GET.
func writeFacts(h http.Header, reply *api.Reply) {
	reply.Shared = false // no cache keeps an answer to POST
	reply.WriteHeader(h)
	for _, name := range []string{"Etag", "Age", "Cache-Status", "Www-Authenticate"} {
		delete(h, name)
	}
	h["Cache-Control"] = noStore
}

// Header values shared by all answers. They must not be changed.
var (
	noStore  = []string{"no-store"}
	jsonType = []string{"application/json"}
)

func sendJSON(w http.ResponseWriter, status int, text []byte) {
	header := w.Header()
	header["Content-Type"] = jsonType
	header["Content-Length"] = []string{strconv.Itoa(len(text))}
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client may have disconnected
}
