package mcp

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/rodata/rodata/op"
)

// invocation is the operation that a message invokes: by a tool call, or by reading a resource. It bypasses mcp-go,
// which would decode and copy the call several times.
type invocation struct {
	operation *op.Operation
	args      op.Args
	malformed error
	uri       json.RawMessage // of the resource; nil for a tool call
}

// invocation returns the operation that a message invokes; nil if there is none.
func (h *Handler) invocation(m *message) *invocation {
	if m.isNotification() {
		return nil
	}

	switch m.Method {
	case "tools/call":
		if t := h.tools[m.text("name")]; t != nil {
			args, malformed := op.ArgsFromJSON(m.arguments())
			return &invocation{operation: t.Operation, args: args, malformed: malformed}
		}
	case "resources/read":
		return h.resource(m)
	}

	return nil
}

// answer runs the message's operation. The facts that REST sends as headers appear both in the result and in the
// response's header.
func (h *Handler) answer(w *response, r *http.Request, m *message) {
	e := m.invocation
	ctx := withTimeout(r.Context(), h.Timeout)
	defer ctx.stop()
	call := h.call(r, e.args, e.malformed)
	call.Caller = m.caller
	if e.operation.HasRows() || e.operation.Account {
		call.BaseURL = h.BaseURL(r)
	}

	reply := h.Gateway.Do(ctx, e.operation, call)
	if r.Context().Err() != nil {
		return // the client has disconnected
	}
	if h.challenges(reply.Problem) {
		h.write(w, r, reply)
		return
	}

	o := outcome{Reply: reply, document: emptyObject, modern: m.modern}
	switch {
	case reply.Problem != nil:
		o.document = reply.Problem.JSON(h.BaseURL(r))
	case reply.Document != nil:
		o.document = reply.Document.JSON
		if e.uri == nil {
			o.rendered = renderedText(h.renderings, reply.Document)
		}
	}

	header := w.Header()
	delete(header, "Server") // a header map with more than eight entries takes more memory
	reply.WriteFacts(header)
	header["Cache-Control"] = noStore // caches do not store answers to POST
	if e.uri != nil && reply.Problem != nil {
		o.resourceFault(e.uri).answer(w, m)
		return
	}

	buffer := buffers.Get().(*[]byte)
	text := m.begin(slices.Grow((*buffer)[:0], 1024+2*len(o.document)+len(o.document)/4))
	if e.uri == nil {
		text = o.appendToolResult(text)
	} else {
		text = o.appendContents(text, e.uri)
	}

	sendJSON(w, http.StatusOK, append(text, "}\n"...))
	if *buffer = text; cap(text) <= maxPooledBuffer {
		buffers.Put(buffer)
	}
}

// buffers are buffers for answers, reused once they have been written.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxPooledBuffer is the size in bytes above which a buffer is not kept.
const maxPooledBuffer = 16 << 10

// emptyObject is the result of a tool whose answer has no body (204): clients expect an object.
var emptyObject = []byte("{}")

// begin appends the beginning of an answer, up to its result.
func (m *message) begin(b []byte) []byte {
	b = append(append(b, `{"jsonrpc":"2.0","id":`...), m.ID...)
	return append(b, `,"result":`...)
}

// call returns the gateway call for a request.
func (h *Handler) call(r *http.Request, args op.Args, malformed error) *op.Call {
	return &op.Call{
		Channel: "mcp", Args: args, Malformed: malformed,
		Authorization: r.Header.Get("Authorization"), APIKey: r.Header.Get("X-Api-Key"), Address: h.Address(r),
		RequestID: op.RequestID(r.Header),
	}
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
