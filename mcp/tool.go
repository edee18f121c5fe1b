package mcp

import (
	"encoding/json"
	"net/http"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"github.com/rodata/rodata/op"
)

// tool is an operation in its MCP form.
type tool struct {
	*op.Operation
	input, output json.RawMessage // JSON Schemas
}

// newTools returns the operations that are tools, by name.
func newTools(ops []*op.Operation) map[string]*tool {
	tools := make(map[string]*tool)
	for _, o := range ops {
		if o.Tool {
			tools[o.ToolID()] = newTool(o)
		}
	}

	return tools
}

func newTool(o *op.Operation) *tool {
	return &tool{Operation: o, input: mustEncode(o.Input()), output: mustEncode(o.Output().Outline())}
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
