package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"github.com/rodata/rodata/api"
)

// message is a JSON-RPC message, as far as this package looks into it.
type message struct {
	Version string                     `json:"jsonrpc"`
	ID      json.RawMessage            `json:"id,omitempty"`
	Method  string                     `json:"method"`
	Params  map[string]json.RawMessage `json:"params,omitempty"`

	body []byte
}

// fault is a JSON-RPC error: what is wrong with a message, before any tool.
type fault struct {
	code int
	text string
}

// bodyTime bounds how long a client may take to send a message.
const bodyTime = 15 * time.Second

// readBody reads the body of a POST, which must be JSON and not too long.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request) ([]byte, *api.Problem) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return nil, api.UnsupportedMediaType.New("a message is JSON: send it with Content-Type: application/json; received %s", quoted(r.Header.Get("Content-Type")))
	}
	control := http.NewResponseController(w)
	if control.SetReadDeadline(time.Now().Add(bodyTime)) == nil {
		defer func() { _ = control.SetReadDeadline(time.Time{}) }() // or it would end the call
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.MaxBody))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, api.PayloadTooLarge.New("the message is larger than %d bytes", h.MaxBody)
	}
	if err != nil {
		return nil, api.InvalidRequest.New("the message did not arrive whole")
	}
	return body, nil
}

// parseMessage reads one message and checks that it is of the protocol's shape.
// An answer of the client's has no method.
func parseMessage(body []byte) (*message, *fault) {
	body = bytes.TrimSpace(body)
	if bytes.HasPrefix(body, []byte("[")) {
		return nil, &fault{protocol.INVALID_REQUEST, "batches are not supported: send one message in each POST"}
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
		return nil, &fault{protocol.INVALID_REQUEST, "the message is not of the shape that JSON-RPC 2.0 and MCP give it"}
	case err != nil:
		return nil, &fault{protocol.PARSE_ERROR, "the message is not valid JSON"}
	case m.Method == "" && m.Result == nil && m.Error == nil:
		return nil, &fault{protocol.INVALID_REQUEST, "the message has no method"}
	case !validID(m.ID):
		return nil, &fault{protocol.INVALID_REQUEST, "the id of a message is a text or a number"}
	}
	m.body = body
	return &m.message, nil
}

func validID(id json.RawMessage) bool {
	return len(id) == 0 || bytes.IndexByte([]byte(`"-0123456789n`), id[0]) >= 0
}

// notification reports whether the message wants no answer.
func (m *message) notification() bool { return len(m.ID) == 0 || m.ID[0] == 'n' }

// text is a member of the parameters that is a text, else empty.
func (m *message) text(name string) string {
	var text string
	_ = json.Unmarshal(m.Params[name], &text)
	return text
}

// modern reports whether the message is of revision 2026-07-28 or later, which
// has no sessions. It says so in a header and in itself.
func (m *message) modern(r *http.Request) bool {
	if modernHeader(r) {
		return true
	}
	var meta map[string]json.RawMessage
	var version string
	return json.Unmarshal(m.Params["_meta"], &meta) == nil &&
		json.Unmarshal(meta[protocol.MetaKeyProtocolVersion], &version) == nil &&
		protocol.IsModernProtocol(version)
}

func modernHeader(r *http.Request) bool {
	return protocol.IsModernProtocol(r.Header.Get(protocol.HeaderProtocolVersion))
}

// shapes are what the parameters of the methods served here are read into.
var shapes = map[string]func() any{
	"initialize":           func() any { return new(protocol.InitializeRequest) },
	"ping":                 func() any { return new(protocol.PingRequest) },
	"server/discover":      func() any { return new(protocol.DiscoverRequest) },
	"subscriptions/listen": func() any { return new(protocol.SubscriptionsListenRequest) },
	"tools/list":           func() any { return new(protocol.ListToolsRequest) },
	"tools/call":           func() any { return new(protocol.CallToolRequest) },
}

// check refuses parameters that mcp-go would refuse in words about Go types.
func (m *message) check() *fault {
	shape := shapes[m.Method]
	if shape == nil || json.Unmarshal(m.body, shape()) == nil {
		return nil
	}
	return &fault{protocol.INVALID_PARAMS, "the params of " + m.Method + " are not of the shape that MCP gives them"}
}

// takeArguments takes the arguments out of a tool call. The operation reads them
// as they were sent; mcp-go would turn numbers into floats, or refuse them. Of
// the other parameters mcp-go gets those that were looked at here under the same
// name: it takes "Name" for a name as well.
func (m *message) takeArguments() json.RawMessage {
	arguments, params := m.Params["arguments"], make(map[string]json.RawMessage)
	for _, name := range []string{"name", "_meta", "inputResponses", "requestState"} {
		if value, ok := m.Params[name]; ok {
			params[name] = value
		}
	}
	m.Params = params
	m.body, _ = json.Marshal(m) // of parts that were JSON before
	if len(arguments) == 0 || string(arguments) == "null" {
		return json.RawMessage("{}")
	}
	return arguments
}

// write answers with the fault, which belongs to the message with the id; nil
// when that is not known.
func (f *fault) write(w http.ResponseWriter, id json.RawMessage) {
	type detail struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	text, _ := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   detail          `json:"error"`
	}{"2.0", id, detail{f.code, f.text}})
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(append(text, '\n'))
}
