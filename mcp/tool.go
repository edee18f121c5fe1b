package mcp

import (
	"encoding/json"
	"net/http"
	"slices"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"github.com/rodata/rodata/api"
)

// tool is an operation in its MCP form.
type tool struct {
	*api.Operation
	input, output json.RawMessage // JSON Schemas
	defaults      api.Args        // where they differ from those of REST
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
	t := &tool{Operation: op, input: mustEncode(op.Input()), output: mustEncode(op.Output().Outline())}
	for _, p := range op.Params() {
		if p.ToolDefault != "" {
			t.defaults = append(t.defaults, api.Arg{Name: p.Name, Text: p.ToolDefault})
		}
	}

	return t
}

// withDefaults adds the tool's own defaults for the arguments that were left out.
func (t *tool) withDefaults(args api.Args) api.Args {
	for _, d := range t.defaults {
		if !slices.ContainsFunc(args, func(a api.Arg) bool { return a.Name == d.Name }) {
			args = append(args, d)
		}
	}

	return args
}

// definition returns the tool's entry in a list of tools.
func (t *tool) definition() protocol.Tool {
	reads := !t.Mutates
	d := protocol.Tool{
		Name:            t.ToolID(),
		Title:           t.Title,
		Description:     t.Description,
		RawInputSchema:  t.input,
		RawOutputSchema: t.output,
		Annotations: protocol.ToolAnnotation{ReadOnlyHint: &reads, DestructiveHint: &t.Destructive,
			OpenWorldHint: &t.OpenWorld},
	}
	if t.Mutates { // the hint is meaningless for a tool that only reads
		idempotent := t.Method != http.MethodPost
		d.Annotations.IdempotentHint = &idempotent
	}

	return d
}
