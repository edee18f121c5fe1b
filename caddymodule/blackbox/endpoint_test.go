package blackbox

import (
	"encoding/json"
	"testing"
)

// message returns a request to the MCP endpoint, with a key unless that is empty.
func message(key, body string) request {
	r := bearer(key, body)
	if key == "" {
		delete(r.header, "Authorization")
	}

	r.header["Accept"] = "application/json, text/event-stream"
	return r
}

// toolCallOf is a tool call in the revisions with sessions.
func toolCallOf(key, tool, arguments string) request {
	return message(key, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+
		arguments+`}}`)
}

// outcome is the result of a tool call.
type outcome struct {
	Meta struct {
		Status           int    `json:"ro.rodata/status"`
		Cache            string `json:"ro.rodata/cache"`
		CreditsRemaining *int   `json:"ro.rodata/creditsRemaining"`
	} `json:"_meta"`
	IsError           bool
	StructuredContent object
}

func (a answer) outcome(t *testing.T) outcome {
	t.Helper()
	var envelope struct{ Result *outcome }
	if err := json.Unmarshal(a.body, &envelope); err != nil || a.StatusCode != 200 || envelope.Result == nil {
		t.Fatalf("no result of a tool: %d %s", a.StatusCode, a.body)
	}

	return *envelope.Result
}
