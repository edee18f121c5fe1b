package mcp

import (
	"encoding/json"
	"net/http"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"github.com/rodata/rodata/api"
)

// tool is an operation as MCP shows it.
type tool struct {
	*api.Operation
	input, output json.RawMessage // JSON Schemas
}

// newTools are the operations that are tools, by name.
func newTools(ops []*api.Operation) map[string]*tool {
	tools := make(map[string]*tool)
	for _, op := range ops {
		if op.Tool {
			tools[op.ToolID()] = &tool{op, mustEncode(op.Input()), mustEncode(op.Output())}
		}
	}
	return tools
}

// definition is the tool as a list of tools has it.
func (t *tool) definition() protocol.Tool {
	reads, idempotent := !t.Mutates, !t.Mutates || t.Method != http.MethodPost
	return protocol.Tool{
		Name:            t.ToolID(),
		Title:           t.Title,
		Description:     t.Description,
		RawInputSchema:  t.input,
		RawOutputSchema: t.output,
		Annotations: protocol.ToolAnnotation{
			Title: t.Title, ReadOnlyHint: &reads, DestructiveHint: &t.Destructive, IdempotentHint: &idempotent, OpenWorldHint: &t.OpenWorld,
		},
	}
}
