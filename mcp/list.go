package mcp

import (
	"context"
	"encoding/json"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// lists holds the results that are the same for all callers.
type lists map[listID]json.RawMessage

// listID identifies a list: its method, and whether it is for the newer revisions.
type listID struct {
	method string
	modern bool
}

// newLists queries mcp-go once for its constant answers.
func newLists(s *server.MCPServer) lists {
	const modernParams = `{"_meta":{"` + protocol.MetaKeyProtocolVersion + `":"` + protocol.ProtocolVersion20260728 +
		`","` + protocol.MetaKeyClientCapabilities + `":{}}}`
	l := make(lists)
	for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
		l[listID{method, false}] = resultOf(s, method, "{}")
		l[listID{method, true}] = resultOf(s, method, modernParams)
	}

	return l
}

func resultOf(s *server.MCPServer, method, params string) json.RawMessage {
	message := `{"jsonrpc":"2.0","id":0,"method":"` + method + `","params":` + params + `}`
	var answer struct{ Result json.RawMessage }
	_ = json.Unmarshal(mustEncode(s.HandleMessage(context.Background(), json.RawMessage(message))), &answer)
	return answer.Result
}

// list returns the answer to a message that requests a list, or nil for any other message.
func (l lists) list(m *message) []byte {
	result := l[listID{m.Method, m.modern}]
	if result == nil || m.isNotification() {
		return nil
	}

	return append(append(m.begin(make([]byte, 0, 64+len(m.ID)+len(result))), result...), "}\n"...)
}
