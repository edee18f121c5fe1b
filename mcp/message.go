package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"go.opentelemetry.io/otel/propagation"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/op/problem"
)

// message is a JSON-RPC message, with the members that this package reads. mcp-go reads the rest.
type message struct {
	ID     json.RawMessage
	Method string
	// name and uri are the parameters of these names; empty if missing.
	name, uri string
	// cancels is the parameter requestId of notifications/cancelled: the ID of the call to cancel.
	cancels json.RawMessage
	// meta is _meta, with the protocol revision and the trace context.
	meta json.RawMessage
	// modern is true if the message uses revision 2026-07-28 or later, which has no sessions. Both a header and the
	// message name the revision.
	modern bool
	body   []byte
	safeID json.RawMessage // instead of ID, for mcp-go; nil if that is the same
}

// isNotification reports whether the message expects no response.
func (m *message) isNotification() bool { return len(m.ID) == 0 }

// invokes reports whether the message invokes an operation. The gateway then reports invalid keys.
func (x *exchange) invokes() bool {
	return !x.isNotification() && (x.Method == "tools/call" && x.tools[x.name] != nil ||
		x.Method == "resources/read" && resourceAt(x.uri) != nil)
}

// The maximum lengths of texts that answers repeat, in bytes.
const (
	longestURI      = 256
	longestMethod   = 64
	longestArgument = 1000 // of a prompt
)

// Each readPerToken bytes of a message cost a further token before it is read, and each parsedPerToken bytes before it
// is parsed, which takes most of the CPU.
const readPerToken, parsedPerToken = 16 << 10, 1 << 10

// post answers a message. unauthenticated is the reason why the caller could not be authenticated, or nil for an
// authenticated caller. A tool call reports it as its own error.
func (h *Handler) post(w http.ResponseWriter, r *http.Request, caller *account.Caller,
	unauthenticated *problem.Problem) {
	length := min(uint64(r.ContentLength), uint64(h.MaxBody)) // an unknown length, which is -1, counts as the maximum
	if !h.admit(w, r, caller, 1+int64(length/readPerToken)) {
		return
	}

	body, refused := h.readBody(w, r)
	if refused != nil {
		h.refuse(w, r, refused)
		return
	}

	if n := int64(len(body)) / parsedPerToken; n > 0 && !h.admit(w, r, caller, n) {
		return
	}

	x := &exchange{Handler: h, w: w, r: r}
	f := x.parse(body)
	if f == nil && unauthenticated == nil {
		x.caller = caller
	}

	switch {
	case unauthenticated != nil && (f != nil || !x.invokes()):
		h.refuse(w, r, unauthenticated)
	case x.Method == "tools/list" && !h.admit(w, r, caller, 9): // it takes as much CPU as ten others
	case f != nil:
		f.write(w, http.StatusBadRequest, x.ID)
	case len(x.uri) > longestURI:
		invalid(protocol.INVALID_PARAMS, "there is no resource at %s: URIs have at most %d bytes",
			problem.Quoted(x.uri), longestURI).answer(w, &x.message)
	case len(x.Method) > longestMethod && !x.isNotification():
		invalid(protocol.METHOD_NOT_FOUND, "%s is not supported", problem.Quoted(x.Method)).answer(w, &x.message)
	case x.modern && x.Method == cancelled: // mcp-go would search the calls of all clients
		w.WriteHeader(http.StatusAccepted)
	case x.modern:
		x.forward("")
	default:
		x.postLegacy()
	}
}

// postLegacy answers a message of a revision with sessions.
func (x *exchange) postLegacy() {
	if v := x.r.Header.Get(protocol.HeaderProtocolVersion); v != "" && !protocol.IsValidProtocolVersion(v) {
		x.refuse(x.w, x.r, problem.Invalid(&problem.InputError{
			Parameter: "MCP-Protocol-Version", Code: problem.NotOneOf, Received: problem.Excerpt(v),
			Accepted: "one of " + strings.Join(protocol.ValidProtocolVersions, ", "),
		}))
		return
	}

	c, refused := x.session(x.r, x.caller)
	switch {
	case x.Method == "initialize":
		x.w.Header().Set(sessionHeader, x.newSession(x.caller.Account()))
		x.forward("")
	case refused != nil:
		x.refuse(x.w, x.r, refused)
	case x.Method == "" || x.Method == cancelled && c.session == "": // the server sends no requests to respond to
		x.w.WriteHeader(http.StatusAccepted)
	default:
		x.forward(c.name())
	}
}

// bodyTime bounds the time that a client may take to send a message.
const bodyTime = 15 * time.Second

// cancelled is the notification by which clients of the older revisions cancel a call. Clients of the newer ones close
// the request.
const cancelled = "notifications/cancelled"

// readBody reads the body of a POST, which must be JSON and within the size limit.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request) ([]byte, *problem.Problem) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != jsonType {
		return nil, problem.UnsupportedMediaType.New("a message must be JSON; send it with Content-Type: "+
			"application/json; received %s", problem.Quoted(r.Header.Get("Content-Type")))
	}

	// Caddy removes the deadline when the body ends, so the call itself may take longer. Removing it here as well
	// would restore the operator's deadline for the whole request (read_timeout), which would end the call. Test
	// writers do not support deadlines.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime))
	body, err := web.ReadBody(w, r, h.MaxBody)
	if err != nil {
		return nil, err.(*problem.Problem)
	}

	return bytes.TrimSpace(body), nil
}

// parse reads the members of a message, and checks that it has the protocol's shape. A response from the client has no
// method.
func (x *exchange) parse(body []byte) *fault {
	if !utf8.Valid(body) {
		return invalid(protocol.PARSE_ERROR, "the message is not valid UTF-8")
	}
	if bytes.HasPrefix(body, []byte("[")) {
		return invalid(protocol.INVALID_REQUEST, "batches are not supported: send one message in each POST")
	}

	var m struct {
		ID              json.RawMessage
		JSONRPC, Method string
		Result, Error   json.RawMessage
		Params          struct {
			Name, URI any
			Meta      json.RawMessage `json:"_meta"`
			RequestID json.RawMessage
		}
	}

	err := json.Unmarshal(body, &m)
	if len(m.ID) > 0 && bytes.ContainsAny(m.ID[:1], `"-0123456789`) {
		x.ID = m.ID // for the answer to a message of a wrong shape, too
	}
	var shape *json.UnmarshalTypeError
	switch {
	case errors.As(err, &shape):
		return wrongShape
	case err != nil:
		return invalid(protocol.PARSE_ERROR, "the message is not valid JSON")
	case m.Method == "" && m.Result == nil && m.Error == nil:
		return invalid(protocol.INVALID_REQUEST, "the message has no method")
	case m.Method != "" && len(m.ID) > 0 && x.ID == nil:
		return invalid(protocol.INVALID_REQUEST, "the id of a message is a text or a number")
	}

	x.message = message{ID: x.ID, Method: m.Method, body: body, meta: m.Params.Meta, cancels: m.Params.RequestID}
	x.modern = hasModernHeader(x.r) || protocol.IsModernProtocol(textsOf(x.meta)[protocol.MetaKeyProtocolVersion])
	x.name, _ = m.Params.Name.(string)
	x.uri, _ = m.Params.URI.(string)
	return nil
}

// textsOf returns the string members of an object. It returns none for another value, which mcp-go rejects.
func textsOf(object json.RawMessage) propagation.MapCarrier {
	var members map[string]any
	_ = json.Unmarshal(object, &members)
	texts := make(propagation.MapCarrier)
	for name, value := range members {
		if text, ok := value.(string); ok {
			texts[name] = text
		}
	}

	return texts
}

func hasModernHeader(r *http.Request) bool {
	return protocol.IsModernProtocol(r.Header.Get(protocol.HeaderProtocolVersion))
}

// fault is a JSON-RPC error that this package sends instead of mcp-go.
type fault struct {
	Code int    `json:"code"`
	Text string `json:"message"`
	Data any    `json:"data,omitempty"`
}

func invalid(code int, format string, args ...any) *fault {
	return &fault{Code: code, Text: fmt.Sprintf(format, args...)}
}

var wrongShape = invalid(protocol.INVALID_REQUEST, "the message is not of the shape that JSON-RPC 2.0 and MCP give it")

// answer sends the fault in answer to a request. The older revisions always use status 200; the newer ones use 400 for
// the client's errors, and 404 for unknown methods.
func (f *fault) answer(w http.ResponseWriter, m *message) {
	status := http.StatusOK
	switch {
	case !m.modern || f.Code == protocol.INTERNAL_ERROR:
	case f.Code == protocol.METHOD_NOT_FOUND:
		status = http.StatusNotFound
	default:
		status = http.StatusBadRequest
	}

	f.write(w, status, m.ID)
}

// write sends the fault for the message with the ID, which is nil if it is unknown.
func (f *fault) write(w http.ResponseWriter, status int, id json.RawMessage) {
	w.Header().Set("Cache-Control", "no-store")
	web.WriteJSON(w, status, struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *fault          `json:"error"`
	}{"2.0", id, f})
}
