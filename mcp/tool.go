package mcp

import (
	"encoding/json"
	"net/http"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"github.com/rodata/rodata/api"
)

// tool is an operation in its MCP form.
type tool struct {
	*api.Operation
	input, output json.RawMessage // JSON Schemas
}

// newTools returns the operations that are tools, by name.
func newTools(ops []*api.Operation) map[string]*tool {
	tools := make(map[string]*tool)
	for _, op := range ops {
		if op.Tool {
			tools[op.ToolID()] = newTool(op)
		}
	}

	return tools
}

func newTool(op *api.Operation) *tool {
	return &tool{Operation: op, input: mustEncode(op.Input()), output: mustEncode(op.Output().Outline())}
}

// definition returns the tool's entry in a list of tools.
func (t *tool) definition() protocol.Tool {
	reads := !t.Mutates
	idempotent := reads || t.Method != http.MethodPost
	return protocol.Tool{
		Name:            t.ToolID(),
		Title:           t.Title,
		Description:     t.Description,
		RawInputSchema:  t.input,
		RawOutputSchema: t.output,
		Annotations: protocol.ToolAnnotation{ReadOnlyHint: &reads, DestructiveHint: &t.Destructive,
			IdempotentHint: &idempotent, OpenWorldHint: &t.OpenWorld},
	}
}
