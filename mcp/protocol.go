package mcp

import (
	"bytes"
	"context"
	"io"
	"net/http"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/rodata/rodata/api"
)

// newProtocol is mcp-go with the tools. It keeps nothing from one request to
// the next; what it does not check (origin, body, session) is checked before.
func (h *Handler) newProtocol() http.Handler {
	const listTTL = 300_000 // milliseconds: the tools change with the release only
	s := server.NewMCPServer("rodata", api.Version,
		server.WithTitle("rodata: Romanian public data"),
		server.WithDescription("Companies, CAEN Rev.3, counties and localities, official exchange rates."),
		server.WithInstructions(instructions),
		server.WithToolCapabilities(false),
		server.WithCacheHints(listTTL, protocol.CacheScopePublic))
	for _, t := range h.tools {
		s.AddTool(definition(t), func(ctx context.Context, _ protocol.CallToolRequest) (*protocol.CallToolResult, error) {
			return result(h.call(ctx, t)), nil
		})
	}
	return server.NewStreamableHTTPServer(s,
		server.WithStateLess(true),
		server.WithDisableStreaming(true),           // GET is answered here
		server.WithDisableLocalhostProtection(true), // it refuses what a proxy on the same machine sends
		server.WithStreamableHTTPLogger(h.Logger))
}

func definition(t *tool) protocol.Tool {
	yes, no := true, false
	openWorld := t.OpenWorld
	return protocol.Tool{
		Name:            t.Name,
		Title:           t.Title,
		Description:     t.Description,
		RawInputSchema:  t.input,
		RawOutputSchema: t.output,
		Annotations: protocol.ToolAnnotation{
			Title: t.Title, ReadOnlyHint: &yes, DestructiveHint: &no, IdempotentHint: &yes, OpenWorldHint: &openWorld,
		},
	}
}

// result shows a problem to the model as text only: clients check structured
// content against the output schema, also that of an error.
func result(o outcome) *protocol.CallToolResult {
	r := &protocol.CallToolResult{
		Content: []protocol.Content{protocol.TextContent{Type: "text", Text: string(o.body)}},
		IsError: o.failed,
	}
	r.Meta = &protocol.Meta{AdditionalFields: o.meta}
	if !o.failed {
		r.RawStructuredContent = o.body
	}
	return r
}

// forward has mcp-go answer a message.
func (h *Handler) forward(w *response, r *http.Request, m *message) {
	if m.Method == cancelled { // mcp-go would look among the calls of all clients
		w.WriteHeader(http.StatusAccepted)
		return
	}
	ctx := r.Context()
	if m.Method == "tools/call" {
		ctx = context.WithValue(ctx, exchangeKey{}, &exchange{
			arguments:     m.takeArguments(),
			authorization: r.Header.Get("Authorization"),
			address:       h.Address(r),
			requestID:     api.RequestID(r.Header),
			baseURL:       h.BaseURL(r),
			header:        w.Header(),
		})
	}
	if fault := m.check(); fault != nil {
		fault.write(w, m.ID)
		return
	}
	r = r.WithContext(ctx)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(m.body)), int64(len(m.body))
	if m.Method == "subscriptions/listen" && !m.notification() {
		h.subscribe(w, r, m)
		return
	}
	h.protocol.ServeHTTP(w, r)
}
