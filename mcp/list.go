package mcp

import (
	"context"
	"encoding/json"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// lists holds the results that are the same for all callers, by method, for the older and the newer revisions.
type lists struct{ legacy, modern map[string]json.RawMessage }

// newLists asks mcp-go once for its constant answers.
func newLists(s *server.MCPServer) *lists {
	const modernParams = `{"_meta":{"` + protocol.MetaKeyProtocolVersion + `":"` + protocol.ProtocolVersion20260728 +
		`","` + protocol.MetaKeyClientCapabilities + `":{}}}`
	l := &lists{make(map[string]json.RawMessage), make(map[string]json.RawMessage)}
	for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
		l.legacy[method] = resultOf(s, method, "{}")
		l.modern[method] = resultOf(s, method, modernParams)
	}

	return l
}

func resultOf(s *server.MCPServer, method, params string) json.RawMessage {
	message := `{"jsonrpc":"2.0","id":0,"method":"` + method + `","params":` + params + `}`
	var answer struct{ Result json.RawMessage }
	// it was JSON a moment ago
	_ = json.Unmarshal(mustEncode(s.HandleMessage(context.Background(), json.RawMessage(message))), &answer)
	return answer.Result
}

// list returns the answer to a message that requests a list, or nil for any other message.
func (l *lists) list(m *message) []byte {
	results := l.legacy
	if m.modern {
		results = l.modern
	}

	result := results[m.Method]
	if result == nil || m.notification() {
		return nil
	}

	return append(append(m.begin(make([]byte, 0, 64+len(m.ID)+len(result))), result...), "}\n"...)
}
