package mcp

import (
	"context"
	"errors"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/rodata/rodata/api"
)

// The server's description of itself.
const (
	serverName        = "rodata"
	serverTitle       = "rodata: Romanian public data"
	serverDescription = "Companies, CAEN Rev.3, counties and localities, official exchange rates."
)

// errAnsweredHere is the error of definitions that mcp-go lists but never calls, because invocations do not reach it.
var errAnsweredHere = errors.New("answered before mcp-go")

// newServer returns mcp-go with the handler's definitions. It keeps no state between requests; the checks it lacks
// (origin, body, session) are done before.
func (h *Handler) newServer() *server.MCPServer {
	const listTTL = 300_000 // milliseconds: the lists change only with a release
	hooks := new(server.Hooks)
	hooks.AddAfterInitialize(func(_ context.Context, _ any, _ *protocol.InitializeRequest,
		r *protocol.InitializeResult) {
		r.Capabilities.Resources.Subscribe = false // only the revisions without initialize have subscriptions
	})

	s := server.NewMCPServer(serverName, api.Version,
		server.WithTitle(serverTitle),
		server.WithDescription(serverDescription),
		server.WithInstructions(instructions),
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(h.Changes != nil, false),
		server.WithHooks(hooks),
		server.WithPromptCapabilities(false),
		server.WithCompletions(),
		server.WithPromptCompletionProvider(completer{h}),
		server.WithResourceCompletionProvider(completer{h}),
		server.WithCacheHints(listTTL, protocol.CacheScopePublic))

	for _, t := range h.tools {
		s.AddTool(t.definition(), func(context.Context, protocol.CallToolRequest) (*protocol.CallToolResult, error) {
			return nil, errAnsweredHere
		})
	}

	for _, r := range resources {
		s.AddResourceTemplate(r.definition(),
			func(context.Context, protocol.ReadResourceRequest) ([]protocol.ResourceContents, error) {
				return nil, errAnsweredHere
			})
	}

	for _, p := range prompts {
		s.AddPrompt(p.Prompt, p.get)
	}

	return s
}

// useServer lets mcp-go answer messages other than invocations.
func (h *Handler) useServer(s *server.MCPServer) {
	h.server, h.lists = s, newLists(s)
	h.transport = server.NewStreamableHTTPServer(s,
		server.WithStateLess(true),
		server.WithDisableStreaming(true),           // GET is handled here
		server.WithDisableLocalhostProtection(true), // it rejects requests forwarded by a proxy on the same machine
		server.WithStreamableHTTPLogger(h.Logger))
}
