package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"time"
	"unicode/utf8"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
)

// message is a JSON-RPC message, as far as this package reads it.
type message struct {
	Version string                     `json:"jsonrpc"`
	ID      json.RawMessage            `json:"id,omitempty"`
	Method  string                     `json:"method"`
	Params  map[string]json.RawMessage `json:"params,omitempty"`

	meta       map[string]json.RawMessage // the parameters' _meta
	body       []byte
	invocation *invocation     // nil when the message asks for no operation
	caller     *account.Caller // nil when the gateway is to say why the key is refused
	// modern says that the message is of revision 2026-07-28 or later, which has no
	// sessions. It says so in a header and in itself.
	modern bool
}

// fault is a JSON-RPC error: what is wrong with a message before any tool runs.
type fault struct {
	Code int             `json:"code"`
	Text string          `json:"message"`
	Data json.RawMessage `json:"data,omitempty"`
}

func invalid(code int, format string, args ...any) *fault {
	return &fault{Code: code, Text: fmt.Sprintf(format, args...)}
}

// bodyTime bounds how long a client may take to send a message.
const bodyTime = 15 * time.Second

// readBody reads the body of a POST, which must be JSON and not too long.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request) ([]byte, *problem.Problem) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return nil, problem.UnsupportedMediaType.New("a message is JSON: send it with Content-Type: application/json; received %s", quoted(r.Header.Get("Content-Type")))
	}

	// Caddy takes the deadline back when the body ends, so the call itself may take longer. Taking it back here as well
	// would bring back the deadline of the whole request that an operator has set (read_timeout), and end the call.
	// Writers of tests do not support deadlines.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime))
	body, err := api.ReadBody(w, r, h.MaxBody)
	if err != nil {
		return nil, err.(*problem.Problem)
	}
	return body, nil
}

// parseMessage reads one message and checks that it is of the protocol's shape.
// An answer of the client's has no method.
func parseMessage(r *http.Request, body []byte) (*message, *fault) {
	body = bytes.TrimSpace(body)
	if !utf8.Valid(body) {
		return nil, invalid(protocol.PARSE_ERROR, "the message is not valid UTF-8")
	}
	if bytes.HasPrefix(body, []byte("[")) {
		return nil, invalid(protocol.INVALID_REQUEST, "batches are not supported: send one message in each POST")
	}

	var m struct {
		message
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}

	err := json.Unmarshal(body, &m)
	var shape *json.UnmarshalTypeError
	switch {
	case errors.As(err, &shape):
		return nil, invalid(protocol.INVALID_REQUEST, "the message is not of the shape that JSON-RPC 2.0 and MCP give it")
	case err != nil:
		return nil, invalid(protocol.PARSE_ERROR, "the message is not valid JSON")
	case m.Method == "" && m.Result == nil && m.Error == nil:
		return nil, invalid(protocol.INVALID_REQUEST, "the message has no method")
	case !validID(m.ID):
		return nil, invalid(protocol.INVALID_REQUEST, "the id of a message is a text or a number")
	}

	m.body = body
	if meta, ok := m.Params["_meta"]; ok {
		_ = json.Unmarshal(meta, &m.meta) // a wrong one is of no era; inOrder finds it
	}

	m.modern = modernHeader(r) || protocol.IsModernProtocol(m.revision())
	return &m.message, nil
}

func validID(id json.RawMessage) bool {
	return len(id) == 0 || bytes.IndexByte([]byte(`"-0123456789n`), id[0]) >= 0
}

// notification reports whether the message expects no answer.
func (m *message) notification() bool { return len(m.ID) == 0 || m.ID[0] == 'n' }

// text returns a string parameter; empty when it is missing or of another type.
func (m *message) text(name string) string {
	var text string
	_ = json.Unmarshal(m.Params[name], &text)
	return text
}

// revision is the one that the message itself names; empty when it names none.
func (m *message) revision() (version string) {
	if m.meta == nil {
		return ""
	}
	_ = json.Unmarshal(m.meta[protocol.MetaKeyProtocolVersion], &version)
	return version
}

func modernHeader(r *http.Request) bool {
	return protocol.IsModernProtocol(r.Header.Get(protocol.HeaderProtocolVersion))
}

// shapes are what the parameters of the methods served here are read into.
var shapes = map[string]func() any{
	"completion/complete":      func() any { return new(protocol.CompleteRequest) },
	"initialize":               func() any { return new(protocol.InitializeRequest) },
	"ping":                     func() any { return new(protocol.PingRequest) },
	"prompts/get":              func() any { return new(protocol.GetPromptRequest) },
	"prompts/list":             func() any { return new(protocol.ListPromptsRequest) },
	"resources/list":           func() any { return new(protocol.ListResourcesRequest) },
	"resources/read":           func() any { return new(protocol.ReadResourceRequest) },
	"resources/subscribe":      func() any { return new(protocol.SubscribeRequest) },
	"resources/templates/list": func() any { return new(protocol.ListResourceTemplatesRequest) },
	"resources/unsubscribe":    func() any { return new(protocol.UnsubscribeRequest) },
	"server/discover":          func() any { return new(protocol.DiscoverRequest) },
	"subscriptions/listen":     func() any { return new(protocol.SubscriptionsListenRequest) },
	"tools/list":               func() any { return new(protocol.ListToolsRequest) },
	"tools/call":               func() any { return new(protocol.CallToolRequest) },
}

// check rejects parameters for which mcp-go's error would speak of Go types.
func (m *message) check() *fault {
	shape := shapes[m.Method]
	switch {
	case shape == nil:
		return nil
	case json.Unmarshal(m.body, shape()) == nil:
		if m.Method == "prompts/get" {
			return m.checkPrompt()
		}
		return nil
	}

	return invalid(protocol.INVALID_PARAMS, "the params of %s are not of the shape that MCP gives them", m.Method)
}

// inOrder reports whether a message is certainly valid: it holds nothing but what nearly
// all clients send, and its headers match it.
func (m *message) inOrder(r *http.Request) bool {
	for name := range m.Params {
		switch name {
		case "name", "arguments", "uri":
		case "_meta":
			if m.meta == nil {
				return false
			}
		default:
			return false
		}
	}

	if m.Version != protocol.JSONRPC_VERSION || !m.modern {
		return m.Version == protocol.JSONRPC_VERSION
	}
	name := m.text("name") + m.text("uri") // a method has one of them
	revision := r.Header.Get(protocol.HeaderProtocolVersion)
	return r.Header.Get(protocol.HeaderLastEventID) == "" &&
		revision == m.revision() && protocol.IsValidProtocolVersion(revision) &&
		r.Header.Get(protocol.HeaderMethod) == m.Method && r.Header.Get(protocol.HeaderName) == name &&
		m.declaresCapabilities()
}

// arguments returns the arguments of a tool call as sent.
func (m *message) arguments() json.RawMessage {
	arguments := m.Params["arguments"]
	if len(arguments) == 0 || string(arguments) == "null" {
		return json.RawMessage("{}")
	}
	return arguments
}

// withoutArguments returns the message as mcp-go may read it. Operations read the arguments
// as sent; mcp-go would turn numbers into floats, or reject them. It gets only the parameters
// that this package reads under exactly the same name, since it matches "Name" too.
func (m *message) withoutArguments() *message {
	bare := *m
	bare.Params = make(map[string]json.RawMessage)
	for _, name := range []string{"name", "uri", "_meta", "inputResponses", "requestState"} {
		if value, ok := m.Params[name]; ok {
			bare.Params[name] = value
		}
	}

	bare.body, _ = json.Marshal(bare) // of parts that were JSON before
	return &bare
}

// answer sends the fault in answer to a request. The older revisions always use status 200;
// the newer ones use 400 for the client's errors.
func (f *fault) answer(w http.ResponseWriter, m *message) {
	status := http.StatusOK
	if m.modern && f.Code != protocol.INTERNAL_ERROR {
		status = http.StatusBadRequest
	}
	f.write(w, status, m.ID)
}

// write sends the fault for the message with the ID; nil when the ID is unknown.
func (f *fault) write(w http.ResponseWriter, status int, id json.RawMessage) {
	text := mustEncode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *fault          `json:"error"`
	}{"2.0", id, f})
	w.Header()["Cache-Control"] = noStore
	sendJSON(w, status, append(text, '\n'))
}
