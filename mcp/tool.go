package mcp

import (
	"encoding/json"

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
	yes, no := true, false
	return protocol.Tool{
		Name:            t.ToolID(),
		Title:           t.Title,
		Description:     t.Description,
		RawInputSchema:  t.input,
		RawOutputSchema: t.output,
		Annotations: protocol.ToolAnnotation{
			Title: t.Title, ReadOnlyHint: &yes, DestructiveHint: &no, IdempotentHint: &yes, OpenWorldHint: &t.OpenWorld,
		},
	}
}
