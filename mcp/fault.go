package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"

	protocol "github.com/mark3labs/mcp-go/mcp"
)

// fault is a JSON-RPC error for a message that is rejected before any tool runs.
type fault struct {
	Code int             `json:"code"`
	Text string          `json:"message"`
	Data json.RawMessage `json:"data,omitempty"`
}

func invalid(code int, format string, args ...any) *fault {
	return &fault{Code: code, Text: fmt.Sprintf(format, args...)}
}

// answer sends the fault in answer to a request. The older revisions always use status 200; the newer ones use 400 for
// the client's errors.
func (f *fault) answer(w http.ResponseWriter, m *message) {
	status := http.StatusOK
	if m.modern && f.Code != protocol.INTERNAL_ERROR {
		status = http.StatusBadRequest
	}

	f.write(w, status, m.ID)
}

// write sends the fault for the message with the ID, which is nil if it is unknown.
func (f *fault) write(w http.ResponseWriter, status int, id json.RawMessage) {
	text := mustEncode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *fault          `json:"error"`
	}{"2.0", id, f})
	w.Header()["Cache-Control"] = noStore
	sendJSON(w, status, append(text, '\n'))
}
