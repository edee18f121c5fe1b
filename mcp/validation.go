package mcp

import (
	"encoding/json"
	"net/http"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"github.com/rodata/rodata/op/problem"
)

// shapes are the types of the parameters of the methods handled here.
var shapes = map[string]func() any{
	"completion/complete":      func() any { return new(protocol.CompleteRequest) },
	"initialize":               func() any { return new(protocol.InitializeRequest) },
	"ping":                     func() any { return new(protocol.PingRequest) },
	"prompts/get":              func() any { return new(protocol.GetPromptRequest) },
	"prompts/list":             func() any { return new(protocol.ListPromptsRequest) },
	"resources/list":           func() any { return new(protocol.ListResourcesRequest) },
	"resources/read":           func() any { return new(protocol.ReadResourceRequest) },
	"resources/templates/list": func() any { return new(protocol.ListResourceTemplatesRequest) },
	"server/discover":          func() any { return new(protocol.DiscoverRequest) },
	"subscriptions/listen":     func() any { return new(protocol.SubscriptionsListenRequest) },
	"tools/list":               func() any { return new(protocol.ListToolsRequest) },
	"tools/call":               func() any { return new(protocol.CallToolRequest) },
}

// The maximum lengths in bytes of the name of a tool or a prompt, and of the URI of a resource.
const (
	longestName = 64
	longestURI  = 256
)

// checkParams rejects parameters for which mcp-go's error would mention Go types.
func (m *message) checkParams() *fault {
	shape := shapes[m.Method]
	switch name, uri := m.text("name"), m.text("uri"); {
	case len(uri) > longestURI:
		return invalid(protocol.INVALID_PARAMS, "there is no resource at %s: URIs have at most %d bytes",
			problem.Quoted(uri), longestURI)
	case len(name) > longestName:
		return invalid(protocol.INVALID_PARAMS, "the name %s is unknown: names have at most %d bytes",
			problem.Quoted(name), longestName)
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

// validate checks a message that this package answers, after checkParams. It returns the errors that mcp-go would
// return. Most valid messages skip it, because isObviouslyValid recognises them at a fraction of the cost.
func (m *message) validate(header http.Header) *fault {
	if m.modern {
		if f := m.validateRevision(header); f != nil {
			return f
		}
	}

	if m.Version != protocol.JSONRPC_VERSION {
		return invalid(protocol.INVALID_REQUEST, "Invalid JSON-RPC version")
	}
	if !m.modern {
		return nil
	}

	if !m.declaresCapabilities() {
		return invalid(protocol.INVALID_PARAMS, "missing or invalid _meta field %s", protocol.MetaKeyClientCapabilities)
	}
	if err := protocol.ValidateStandardHeaders(header.Get, m.revision(), protocol.MCPMethod(m.Method),
		mustEncode(m.Params)); err != nil {
		return invalid(protocol.HEADER_MISMATCH, "%s", err)
	}

	return nil
}

// validateRevision checks that the header and the message name the same revision, and that it is supported.
func (m *message) validateRevision(header http.Header) *fault {
	named, own := header.Get(protocol.HeaderProtocolVersion), m.revision()
	switch {
	case header.Get(protocol.HeaderLastEventID) != "":
		return invalid(protocol.HEADER_MISMATCH,
			"Last-Event-ID is not supported in protocol version %s: streams are not resumable, re-issue the request "+
				"with a new ID", protocol.ProtocolVersion20260728)
	case named == "":
		return invalid(protocol.HEADER_MISMATCH, "%s header is required for requests carrying %s",
			protocol.HeaderProtocolVersion, protocol.MetaKeyProtocolVersion)
	case own == "":
		return invalid(protocol.INVALID_PARAMS, "missing or invalid _meta field %s", protocol.MetaKeyProtocolVersion)
	case named != own:
		return invalid(protocol.HEADER_MISMATCH, "%s header %s does not match request %s %s",
			protocol.HeaderProtocolVersion, named, protocol.MetaKeyProtocolVersion, own)
	case !protocol.IsValidProtocolVersion(own):
		unsupported := protocol.UnsupportedProtocolVersionError{Version: own,
			Supported: protocol.ValidProtocolVersions}.JSONRPCError().Error
		return &fault{unsupported.Code, unsupported.Message, mustEncode(unsupported.Data)}
	}

	return nil
}

// declaresCapabilities reports whether the message has the client's capabilities, which the newer revisions require.
func (m *message) declaresCapabilities() bool {
	if string(m.meta[protocol.MetaKeyClientCapabilities]) == "{}" {
		return true
	}

	var capabilities *protocol.ClientCapabilities
	return json.Unmarshal(m.meta[protocol.MetaKeyClientCapabilities], &capabilities) == nil && capabilities != nil
}

// isObviouslyValid reports whether a message is certainly valid: it has only the members that most clients send, and
// its headers match it.
func (m *message) isObviouslyValid(r *http.Request) bool {
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
