package mcp

import (
	"context"
	"errors"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/op/problem"
)

// The server's description of itself.
const (
	serverName        = "rodata"
	serverTitle       = "rodata: Romanian public data"
	serverDescription = "Companies, CAEN Rev.3, counties and localities, official exchange rates."
)

// serverInfo is the server's name and version.
var serverInfo = protocol.Implementation{
	Name: serverName, Title: serverTitle, Version: api.Version, Description: serverDescription,
}

// newServer returns mcp-go with the handler's definitions. It keeps no state between requests; the checks it lacks
// (origin, body, session) are done before.
func (h *Handler) newServer() *server.MCPServer {
	const listTTL = 300_000 // milliseconds: the lists change only with a release
	hooks := new(server.Hooks)
	hooks.AddAfterInitialize(func(_ context.Context, _ any, _ *protocol.InitializeRequest,
		r *protocol.InitializeResult) {
		r.Capabilities.Resources.Subscribe = false // only the revisions without initialize have subscriptions
	})
	hooks.AddAfterReadResource(date)
	hooks.AddBeforeSubscriptionsListen(func(ctx context.Context, _ any, m *protocol.SubscriptionsListenRequest) {
		exchangeOf(ctx).listen(ctx, &m.Params.Notifications)
	})
	hooks.AddBeforeSubscribe(func(ctx context.Context, _ any, _ *protocol.SubscribeRequest) {
		exchangeOf(ctx).refuseSubscribing()
	})
	hooks.AddBeforeUnsubscribe(func(ctx context.Context, _ any, _ *protocol.UnsubscribeRequest) {
		exchangeOf(ctx).refuseSubscribing()
	})
	hooks.AddOnError(explain)

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
		s.AddTool(t.definition(), t.answer)
	}

	for i := range resources {
		s.AddResourceTemplate(resources[i].definition(), resources[i].read)
	}

	for _, p := range prompts {
		s.AddPrompt(p.Prompt, p.get)
	}

	return s
}

// serve lets mcp-go answer messages.
func (h *Handler) serve(s *server.MCPServer) {
	h.transport = server.NewStreamableHTTPServer(s,
		server.WithStateLess(true),
		server.WithStreamableHTTPLogger(h.Logger))
}

// explain replaces mcp-go's errors with ones that tell the caller how to fix the message. mcp-go names its own types in
// errors about the shape of a message, and omits the URI of an unknown resource.
func explain(ctx context.Context, _ any, method protocol.MCPMethod, _ any, err error) {
	x := exchangeOf(ctx)
	var unparsable *server.UnparsableMessageError
	switch {
	case errors.As(err, &unparsable):
		x.fail(invalid(protocol.INVALID_PARAMS, "the params of %s are not of the shape that MCP gives them", method))
	case errors.Is(err, server.ErrToolNotFound):
		x.fail(invalid(protocol.INVALID_PARAMS, "there is no tool %s; tools/list lists them", problem.Quoted(x.name)))
	case errors.Is(err, server.ErrPromptNotFound):
		x.fail(invalid(protocol.INVALID_PARAMS, "there is no prompt %s; prompts/list lists them",
			problem.Quoted(x.name)))
	case errors.Is(err, server.ErrResourceNotFound):
		x.fail(x.unknownResource())
	case errors.Is(err, server.ErrUnsupported):
		x.fail(invalid(protocol.METHOD_NOT_FOUND, "%s is not supported", method))
	}
}

// refuseSubscribing replaces mcp-go's acknowledgement of a subscription of the older revisions, which has no effect.
func (x *exchange) refuseSubscribing() {
	x.fail(invalid(protocol.METHOD_NOT_FOUND, "%s is not supported: changes come to subscriptions/listen of revision "+
		"2026-07-28, or call the tool list_changes", x.Method))
}

// unknownResource is the error for a URI that no template matches.
func (x *exchange) unknownResource() *fault {
	templates := make([]string, len(resources))
	for i := range resources {
		templates[i] = resources[i].template()
	}

	f := invalid(protocol.RESOURCE_NOT_FOUND, "there is no resource at %s; there are %s", problem.Quoted(x.uri),
		strings.Join(templates, ", "))
	if x.modern {
		f.Code = protocol.INVALID_PARAMS
	}

	f.Data = map[string]string{"uri": x.uri}
	return f
}
