package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/op/problem"
)

// manifestName is the server's name in server.json, the manifest for the registry of MCP servers.
const manifestName = "ro.rodata/rodata"

// serverInfo is the server's description of itself.
var serverInfo = protocol.Implementation{
	Name: "rodata", Title: "rodata: Romanian public data", Version: api.Version,
	Description: "Companies, CAEN Rev.3, counties and localities, official exchange rates.",
}

// instructions describe the server to a model before it picks a tool. Some clients show only the first 512 characters,
// so these must be self-contained.
var instructions = strings.TrimSpace(fill("instructions.md", nil))

// newServer returns mcp-go with the handler's definitions. It keeps no state between requests; the checks it lacks
// (origin, body, session) are done before.
func (h *Handler) newServer() *server.MCPServer {
	const listTTL = 300_000 // milliseconds: the lists change only with a release
	hooks := new(server.Hooks)
	hooks.AddAfterInitialize(func(_ context.Context, _ any, _ *protocol.InitializeRequest,
		r *protocol.InitializeResult) {
		r.Capabilities.Resources.Subscribe = false // only the revisions without initialize have subscriptions
	})
	hooks.AddAfterListTools(h.describe)
	hooks.AddAfterReadResource(date)
	hooks.AddBeforeSubscriptionsListen(func(ctx context.Context, _ any, m *protocol.SubscriptionsListenRequest) {
		exchangeOf(ctx).listen(ctx, &m.Params.Notifications)
	})
	hooks.AddBeforeAny(refuseSubscribing)
	hooks.AddOnError(explain)

	s := server.NewMCPServer(serverInfo.Name, serverInfo.Version,
		server.WithTitle(serverInfo.Title),
		server.WithDescription(serverInfo.Description),
		server.WithInstructions(instructions),
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(h.Changes != nil, false),
		server.WithHooks(hooks),
		server.WithPromptCapabilities(false),
		server.WithCompletions(),
		server.WithPromptCompletionProvider(completer{h}),
		server.WithResourceCompletionProvider(completer{h}),
		server.WithCacheHints(listTTL, protocol.CacheScopePublic))

	for name, t := range h.tools {
		s.AddTool(protocol.NewToolWithRawSchema(name, "", json.RawMessage("{}")), t.answer)
	}

	for i := range resources {
		s.AddResourceTemplate(resources[i].definition(), resources[i].read)
	}

	for i := range texts {
		s.AddResource(texts[i].Resource, texts[i].read)
	}

	for i := range prompts {
		s.AddPrompt(prompts[i], answerPrompt(&prompts[i]))
	}

	return s
}

// describe completes a list of tools. mcp-go knows only their names, because it would read the input schema of a tool
// at each call of revision 2026-07-28.
func (h *Handler) describe(_ context.Context, _ any, _ *protocol.ListToolsRequest,
	list *protocol.ListToolsResult) {
	for i := range list.Tools {
		if t := h.tools[list.Tools[i].Name]; t != nil {
			list.Tools[i] = t.definition()
		}
	}
}

// explain replaces mcp-go's errors with ones that tell the caller how to fix the message. mcp-go names its own types in
// errors about the shape of a message, and omits the URI of an unknown resource.
func explain(ctx context.Context, _ any, method protocol.MCPMethod, _ any, err error) {
	x := exchangeOf(ctx)
	switch {
	case errors.As(err, new(*server.UnparsableMessageError)):
		x.fail(invalid(protocol.INVALID_PARAMS, "the params of %s are not of the shape that MCP gives them", method))
	case errors.As(err, new(base64.CorruptInputError)):
		x.fail(invalid(protocol.INVALID_PARAMS, "the cursor is none that %s returned; leave it out", method))
	case errors.Is(err, server.ErrToolNotFound), errors.Is(err, server.ErrPromptNotFound):
		kind, _, _ := strings.Cut(string(method), "s/") // tools/call, prompts/get
		x.fail(invalid(protocol.INVALID_PARAMS, "there is no %s %s; %[1]ss/list lists them", kind,
			problem.Quoted(x.name)))
	case errors.Is(err, server.ErrResourceNotFound):
		x.fail(x.unknownResource())
	case errors.Is(err, server.ErrUnsupported):
		x.fail(invalid(protocol.METHOD_NOT_FOUND, "%s is not supported", method))
	}
}

// refuseSubscribing replaces mcp-go's acknowledgement of a subscription of the older revisions, which has no effect.
func refuseSubscribing(ctx context.Context, _ any, method protocol.MCPMethod, _ any) {
	if method == protocol.MethodResourcesSubscribe || method == protocol.MethodResourcesUnsubscribe {
		exchangeOf(ctx).fail(invalid(protocol.METHOD_NOT_FOUND, "%s is not supported: changes come to "+
			"subscriptions/listen of revision 2026-07-28, or call the tool list_changes", method))
	}
}

// unknownResource is the error for a URI that belongs to no resource.
func (x *exchange) unknownResource() *fault {
	var known []string
	for i := range resources {
		known = append(known, resources[i].template())
	}
	for i := range texts {
		known = append(known, texts[i].URI)
	}

	f := invalid(x.missing(), "there is no resource at %s; there are %s", problem.Quoted(x.uri), strings.Join(known, ", "))
	f.Data = map[string]string{"uri": x.uri}
	return f
}
