package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/server"
	"go.opentelemetry.io/otel/trace"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/op"
)

// exchange is one message and its answer. It is the writer that mcp-go sends the answer to, and replaces answers for
// which mcp-go has no hook: see replace.
type exchange struct {
	*Handler
	w http.ResponseWriter
	r *http.Request
	// caller is nil if the gateway is to explain why the key is invalid.
	caller *account.Caller
	message
	reply  *op.Reply          // of the operation that the message invoked
	result json.RawMessage    // the document that takes the place of standIn in the answer; nil for none
	fault  *fault             // instead of an answer; nil if there is none
	cancel context.CancelFunc // ends the work of mcp-go
	stream *stream            // of subscriptions/listen
	span   trace.Span         // of the message

	mu          sync.Mutex // guards the following: the stream writes, too
	status      int        // announced and not sent yet
	started     bool       // an answer has begun
	replacement func()     // sends another answer than mcp-go's
}

type exchangeKey struct{}

// exchangeOf returns the exchange in the context of a handler or hook of mcp-go.
func exchangeOf(ctx context.Context) *exchange { return ctx.Value(exchangeKey{}).(*exchange) }

// forward lets mcp-go answer the message. session is the name under which mcp-go separates the calls of clients.
func (x *exchange) forward(session string) {
	ctx, cancel := context.WithCancel(context.WithValue(x.r.Context(), exchangeKey{}, x))
	defer cancel()
	ctx, x.span = x.startSpan(ctx)
	defer x.endSpan()
	x.cancel = cancel
	header := maps.Clone(x.r.Header)
	header.Del(sessionHeader)
	if session != "" {
		header.Set(sessionHeader, session)
	}

	x.transport.Handle(x, &server.HTTPRequest{Method: x.r.Method, URL: x.r.URL, Header: header,
		Body: x.withSafeIDs(), Context: ctx})
	x.endStream()
	if x.replacement != nil && !x.started {
		x.w.Header().Del("Connection") // of a stream that mcp-go would have sent
		x.replacement()
	}
}

// replace makes send answer the message instead of mcp-go. The first replacement counts.
func (x *exchange) replace(send func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.replacement == nil {
		x.replacement = send
	}
}

// fail replaces the answer with a JSON-RPC error.
func (x *exchange) fail(f *fault) {
	x.fault = f
	x.replace(func() { f.answer(x.w, &x.message) })
}

// refuseWith replaces the answer with a problem, as REST sends it.
func (x *exchange) refuseWith(reply *op.Reply) {
	x.reply = reply
	x.replace(func() { x.write(x.w, x.r, reply) })
}

// do runs an operation with arguments for the caller. The facts that REST sends as headers are in the header of the
// response, too. It returns nil if the answer is replaced: the client has cancelled the call, or needs a token first.
func (x *exchange) do(ctx context.Context, o *op.Operation, args op.Args, malformed error) *op.Reply {
	ctx, cancel := context.WithTimeout(ctx, x.Timeout)
	defer cancel()
	call := x.call(x.r, args, malformed)
	call.Caller, call.BaseURL = x.caller, x.BaseURL(x.r)
	reply := x.Gateway.Do(ctx, o, call)
	switch {
	case context.Cause(ctx) == context.Canceled:
		x.replace(func() { x.w.WriteHeader(http.StatusAccepted) }) // a cancelled call has no answer
		return nil
	case x.challenges(reply.Problem):
		x.refuseWith(reply)
		return nil
	}

	x.reply = reply
	reply.WriteFacts(x.w.Header())
	return reply
}

// document returns the JSON of a reply: the answer, or the problem. An answer without a body (204) is an empty object,
// which clients expect.
func (x *exchange) document(reply *op.Reply) json.RawMessage {
	switch {
	case reply.Problem != nil:
		return reply.Problem.JSON(x.BaseURL(x.r))
	case reply.Document == nil:
		return json.RawMessage("{}")
	}

	return reply.Document.JSON
}

// call returns the gateway call for a request.
func (h *Handler) call(r *http.Request, args op.Args, malformed error) *op.Call {
	return &op.Call{
		Channel: "mcp", Args: args, Malformed: malformed,
		Authorization: r.Header.Get("Authorization"), APIKey: r.Header.Get("X-Api-Key"), Address: h.Address(r),
		RequestID: op.RequestID(r.Header),
	}
}

// Header implements server.HTTPResponseWriter.
func (x *exchange) Header() http.Header { return x.w.Header() }

// CanStream implements server.HTTPResponseWriter.
func (x *exchange) CanStream() bool { return true }

// WriteHeader implements server.HTTPResponseWriter. The header of a JSON answer is sent with its body.
func (x *exchange) WriteHeader(status int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.replacement != nil {
		return
	}

	header := x.w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store") // caches do not store answers to POST
	switch kind := header.Get("Content-Type"); {
	case kind == jsonType:
		x.status = status
		return
	case kind == op.SSEType:
		passThrough(header)
	case kind != "": // plain text: mcp-go has taken the message for one of another revision
		x.fault = wrongShape
		x.replacement = func() { x.fault.answer(x.w, &x.message) }
		return
	}

	x.started = true
	x.w.WriteHeader(status)
}

// passThrough keeps proxies from storing or buffering a stream.
func passThrough(header http.Header) {
	header.Set("Cache-Control", "no-cache")
	header.Set("X-Accel-Buffering", "no")
}

// Write implements server.HTTPResponseWriter. mcp-go writes a JSON answer at once.
func (x *exchange) Write(text []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.replacement != nil {
		return len(text), nil
	}

	x.observe(text)
	sent := x.withDocument(x.withSentID(text))
	if x.status != 0 {
		x.w.Header().Set("Content-Length", strconv.Itoa(len(sent)))
		x.w.WriteHeader(x.status)
		x.status = 0
	}

	x.started = true
	_, err := x.w.Write(sent)
	return len(text), err
}

// Flush implements server.HTTPResponseWriter.
func (x *exchange) Flush() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.started {
		_ = http.NewResponseController(x.w).Flush()
	}
}

const jsonType = "application/json"

// The limits of the message's id: mcp-go reads numbers as float64. An id that would change is replaced with a text
// until the answer is sent.
const longestPlainNumber = 15 // digits

// isPlain reports whether mcp-go returns an id as it was sent, and distinguishes it from every other id.
func isPlain(id json.RawMessage) bool {
	if bytes.HasPrefix(id, []byte(`"`)) {
		return !bytes.ContainsRune(id, '\\') && !json.Valid(id[1:len(id)-1]) // for cancellations, "1" would be 1
	}
	return len(id) <= longestPlainNumber && !bytes.ContainsAny(id, ".eE")
}

// safeID is the text that replaces an id. In hexadecimal, it contains no character that mcp-go would escape.
func safeID(id json.RawMessage) json.RawMessage { return fmt.Appendf(nil, `"id %x"`, id) }

// withSafeIDs returns the message with ids that mcp-go does not change.
func (x *exchange) withSafeIDs() []byte {
	switch {
	case x.Method == cancelled && x.isNotification() && !isPlain(x.cancels):
		return mustEncode(map[string]any{"jsonrpc": "2.0", "method": cancelled,
			"params": map[string]any{"requestId": safeID(x.cancels)}})
	case isPlain(x.ID):
		return x.body
	}

	var members map[string]json.RawMessage
	_ = json.Unmarshal(x.body, &members) // the message has been checked
	x.safeID = safeID(x.ID)
	// A second method, written in another case, would be read instead of the one that was checked.
	return mustEncode(map[string]any{"jsonrpc": members["jsonrpc"], "id": x.safeID, "method": x.Method,
		"params": members["params"]})
}

// withSentID puts the client's id back into a part of an answer.
func (x *exchange) withSentID(text []byte) []byte {
	if x.safeID == nil {
		return text
	}
	return bytes.Replace(text, x.safeID, x.ID, 1) // other texts, which follow it, may be the same
}

// standIn is sent to mcp-go instead of the document of a result, both as text and as structured content. mcp-go would
// scan the document four times while it encodes the result.
const standIn = "the document"

// withDocument puts the document into an answer, encoded as mcp-go would encode it. Only the id, which precedes the
// result, can be the same text as a stand-in.
func (x *exchange) withDocument(answer []byte) []byte {
	const quoted = `"` + standIn + `"`
	structured := bytes.LastIndex(answer, []byte(quoted))
	plain := bytes.LastIndex(answer[:max(structured, 0)], []byte(quoted))
	if x.result == nil || plain < 0 { // no result of a tool
		return answer
	}

	text, _ := json.Marshal(string(x.result)) // texts can always be encoded
	var b bytes.Buffer
	b.Grow(len(answer) + len(text) + len(x.result))
	b.Write(answer[:plain])
	b.Write(text)
	b.Write(answer[plain+len(quoted) : structured])
	json.HTMLEscape(&b, x.result)
	b.Write(answer[structured+len(quoted):])
	return b.Bytes()
}
