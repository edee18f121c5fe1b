package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/rodata/rodata/api"
)

// errand is an operation that a message asks for: a tool call, or a resource
// that is read. It is done here and not by mcp-go, which decodes and copies the
// texts of a call several times.
type errand struct {
	op        *api.Operation
	args      api.Args
	malformed error
	uri       json.RawMessage // of the resource; nil when it is a tool's call
}

// errand is what a message asks for; nil when that is no operation.
func (h *Handler) errand(m *message) *errand {
	if m.notification() {
		return nil
	}
	switch m.Method {
	case "tools/call":
		if t := h.tools[m.text("name")]; t != nil {
			args, malformed := api.ArgsFromJSON(m.arguments())
			return &errand{op: t.Operation, args: args, malformed: malformed}
		}
	case "resources/read":
		return h.resource(m)
	}
	return nil
}

// answer does an errand. The facts that REST sends as headers are in the result
// and in the header of the response.
func (h *Handler) answer(w *response, r *http.Request, m *message) {
	e := m.errand
	ctx, cancel := context.WithTimeout(r.Context(), h.Timeout)
	defer cancel()
	call := h.call(r, e.args, e.malformed)
	call.Caller = m.caller
	reply := h.Gateway.Do(ctx, e.op, call)
	if r.Context().Err() != nil {
		return // nobody waits for it any more
	}
	if reply.Status == http.StatusUnauthorized && h.Challenge != "" {
		h.write(w, r, reply)
		return
	}
	o := outcome{Reply: reply, document: reply.Document, modern: m.modern}
	if reply.Problem != nil {
		o.document = api.ProblemDocument(reply.Problem, h.BaseURL(r))
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

// begin is the beginning of an answer to the message, up to its result, with room
// for that.
func (m *message) begin(room int) []byte {
	text := append(make([]byte, 0, 64+len(m.ID)+room), `{"jsonrpc":"2.0","id":`...)
	return append(append(text, m.ID...), `,"result":`...)
}

// call is what the gateway is asked on behalf of a request.
func (h *Handler) call(r *http.Request, args api.Args, malformed error) *api.Call {
	return &api.Call{
		Channel: "mcp", Args: args, Malformed: malformed,
		Authorization: r.Header.Get("Authorization"), APIKey: r.Header.Get("X-Api-Key"), Address: h.Address(r), RequestID: api.RequestID(r.Header),
	}
}

// writeFacts puts the facts of a reply into the header of the message that
// carries it, except those that only hold for an answer to GET.
func writeFacts(h http.Header, reply *api.Reply) {
	reply.Shared = false // no cache keeps an answer to POST
	reply.WriteHeader(h)
	for _, name := range []string{"Etag", "Age", "Cache-Status", "Www-Authenticate"} {
		delete(h, name)
	}
	h["Cache-Control"] = noStore
}

// Header values that are the same in every answer: shared, never changed.
var (
	noStore  = []string{"no-store"}
	jsonType = []string{"application/json"}
)

func sendJSON(w http.ResponseWriter, status int, text []byte) {
	header := w.Header()
	header["Content-Type"] = jsonType
	header["Content-Length"] = []string{strconv.Itoa(len(text))}
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client has gone, then
}
