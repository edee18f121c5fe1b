package mcp

import (
	"context"
	"encoding/json"
	"net/http"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"github.com/rodata/rodata/internal/jsontext"
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
			tools[o.ToolID()] = &tool{o, mustEncode(o.Input()), mustEncode(o.Output().Outline())}
		}
	}

	return tools
}

// definition returns the tool's entry in a list of tools.
func (t *tool) definition() protocol.Tool {
	reads := !t.Mutates
	idempotent := reads || t.Method != http.MethodPost
	var meta *protocol.Meta
	if t.Name == "get_company" {
		meta = protocol.NewMetaFromMap(map[string]any{"ui": map[string]any{"resourceUri": companyCard}})
	}

	return protocol.Tool{
		Meta:            meta,
		Name:            t.ToolID(),
		Title:           t.Title,
		Description:     t.Description,
		RawInputSchema:  t.input,
		RawOutputSchema: t.output,
		Annotations: protocol.ToolAnnotation{ReadOnlyHint: &reads, DestructiveHint: &t.Destructive,
			IdempotentHint: &idempotent, OpenWorldHint: &t.OpenWorld},
	}
}

// answer runs the tool's operation. A problem is sent as text only, because clients check structured content against
// the output schema even in errors.
func (t *tool) answer(ctx context.Context, request protocol.CallToolRequest) (*protocol.CallToolResult, error) {
	x, arguments := exchangeOf(ctx), request.Params.RawArguments // whose numbers keep their digits
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}

	args, malformed := op.ArgsFromJSON(arguments)
	result := new(protocol.CallToolResult)
	reply := x.do(ctx, t.Operation, args, malformed)
	if reply == nil {
		return result, nil
	}

	document := x.document(reply)
	result.Meta, result.IsError = facts(reply, document), reply.Problem != nil
	text := string(document)
	if !result.IsError {
		x.result, result.StructuredContent, text = document, standIn, standIn
	}

	result.Content = []protocol.Content{protocol.NewTextContent(text)}
	return result, nil
}

// facts returns the facts that REST sends as headers.
func facts(reply *op.Reply, document json.RawMessage) *protocol.Meta {
	meta := new(protocol.Meta)
	set := func(name string, value any) { meta.SetMetaField("ro.rodata/"+name, value) }
	set("status", reply.Status)
	set("creditsCost", reply.Cost)
	if reply.Credits >= 0 {
		set("creditsRemaining", reply.Credits)
	}
	if rate := reply.Allowance.Rate; rate.N > 0 {
		set("rateLimit", map[string]int{"limit": rate.N, "remaining": reply.Allowance.Remaining})
	}
	if q := reply.Quota; q.Limit > 0 {
		set("allowance", map[string]any{"name": reply.QuotaName(), "limit": q.Limit, "remaining": q.Remaining,
			"resetSeconds": reply.QuotaSeconds()})
	}
	if s := reply.RetrySeconds(); s > 0 {
		set("retryAfterSeconds", s)
	}

	if reply.Problem != nil {
		set("problem", document)
	} else if reply.Cache != "" {
		set("cache", reply.Cache)
	}

	return meta
}

// mustEncode encodes a value whose encoding cannot fail.
func mustEncode(v any) json.RawMessage { return jsontext.MustEncode(v) }
