package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"time"
	"unicode/utf8"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/op/problem"
)

// message is a JSON-RPC message, with the parts that this package reads.
type message struct {
	Version string                     `json:"jsonrpc"`
	ID      json.RawMessage            `json:"id,omitempty"`
	Method  string                     `json:"method"`
	Params  map[string]json.RawMessage `json:"params,omitempty"`

	meta       map[string]json.RawMessage // the parameters' _meta
	body       []byte
	invocation *invocation     // nil if the message invokes no operation
	caller     *account.Caller // nil if the gateway is to explain why the key is invalid
	// modern is true if the message uses revision 2026-07-28 or later, which has no sessions. Both a header and the
	// message name the revision.
	modern bool
}

// bodyTime bounds the time that a client may take to send a message.
const bodyTime = 15 * time.Second

// readBody reads the body of a POST, which must be JSON and within the size limit.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request) ([]byte, *problem.Problem) {
	if !isJSON(r.Header.Get("Content-Type")) {
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

	return body, nil
}

func isJSON(contentType string) bool {
	if contentType == jsonType[0] {
		return true
	}

	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == jsonType[0]
}

// parseMessage parses one message and checks that it has the protocol's shape. A response from the client has no
// method.
func parseMessage(r *http.Request, body []byte) (*message, *fault) {
	body = bytes.TrimSpace(body)
	if !utf8.Valid(body) {
		return nil, invalid(protocol.PARSE_ERROR, "the message is not valid UTF-8")
	}
	if bytes.HasPrefix(body, []byte("[")) {
		return nil, invalid(protocol.INVALID_REQUEST, "batches are not supported: send one message in each POST")
	}

	m, f := decodeMessage(body)
	if f != nil {
		return nil, f
	}

	m.body = body
	if meta, ok := m.Params["_meta"]; ok {
		if m.meta, ok = plainObject(meta); !ok {
			_ = json.Unmarshal(meta, &m.meta) // an invalid one names no revision; isObviouslyValid rejects it
		}
	}

	m.modern = hasModernHeader(r) || protocol.IsModernProtocol(m.revision())
	return m, nil
}

// decodeMessage decodes a message.
func decodeMessage(body []byte) (*message, *fault) {
	if m := plainMessage(body); m != nil {
		return m, nil
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
		return nil, invalid(protocol.INVALID_REQUEST,
			"the message is not of the shape that JSON-RPC 2.0 and MCP give it")
	case err != nil:
		return nil, invalid(protocol.PARSE_ERROR, "the message is not valid JSON")
	case m.Method == "" && m.Result == nil && m.Error == nil:
		return nil, invalid(protocol.INVALID_REQUEST, "the message has no method")
	case m.Method != "" && !validID(m.ID):
		return nil, invalid(protocol.INVALID_REQUEST, "the id of a message is a text or a number")
	}

	return &m.message, nil
}

func validID(id json.RawMessage) bool {
	return len(id) == 0 || bytes.IndexByte([]byte(`"-0123456789`), id[0]) >= 0
}

// isNotification reports whether the message expects no response.
func (m *message) isNotification() bool { return len(m.ID) == 0 }

// text returns a string parameter; empty if it is missing or has another type.
func (m *message) text(name string) string {
	text, ok := plainText(m.Params[name])
	if !ok {
		_ = json.Unmarshal(m.Params[name], &text)
	}
	return text
}

// revision returns the revision named in the message; empty if there is none.
func (m *message) revision() (version string) {
	if m.meta == nil {
		return ""
	}

	version, ok := plainText(m.meta[protocol.MetaKeyProtocolVersion])
	if !ok {
		_ = json.Unmarshal(m.meta[protocol.MetaKeyProtocolVersion], &version)
	}

	return version
}

func hasModernHeader(r *http.Request) bool {
	return protocol.IsModernProtocol(r.Header.Get(protocol.HeaderProtocolVersion))
}

// arguments returns the arguments of a tool call as sent.
func (m *message) arguments() json.RawMessage {
	arguments := m.Params["arguments"]
	if len(arguments) == 0 || string(arguments) == "null" {
		return json.RawMessage("{}")
	}
	return arguments
}

// withoutArguments returns the message in a form for mcp-go. Operations read the arguments as sent; mcp-go would
// convert numbers to floats, or reject them. It contains only the parameters that this package reads under exactly the
// same name, because mcp-go would also match "Name".
func (m *message) withoutArguments() *message {
	bare := *m
	bare.Params = make(map[string]json.RawMessage)
	for _, name := range []string{"name", "uri", "_meta", "inputResponses", "requestState"} {
		if value, ok := m.Params[name]; ok {
			bare.Params[name] = value
		}
	}

	bare.body, _ = json.Marshal(bare) // its parts were valid JSON before
	return &bare
}
