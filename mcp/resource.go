package mcp

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// resource is an operation whose answers can also be read as resources: one URI for each value of its only required
// parameter.
type resource struct {
	scheme, parameter, operation string
	name, title, description     string
}

// The URI schemes of resources that change.
const (
	companyScheme   = "company://"
	watchlistScheme = "watchlist://"
)

// isWatchable reports whether a URI can be subscribed to.
func isWatchable(uri string) bool {
	return len(uri) <= longestURI &&
		(strings.HasPrefix(uri, companyScheme) || strings.HasPrefix(uri, watchlistScheme))
}

// resources is the table of resources. Reading one is the same as calling the operation: validation, cost, limits,
// answer.
var resources = []resource{
	{
		scheme: "caen://", parameter: "code", operation: "get_caen_code",
		name: "caen_code", title: "CAEN Rev.3 activity",
		description: "An entry of the Romanian classification of activities: names, the entries above and below it, " +
			"the Rev.2 codes that it replaces. The same as the tool get_caen_code; free.",
	},
	{
		scheme: companyScheme, parameter: "cui", operation: "get_company",
		name: "company", title: "Romanian company",
		description: "The profile of a company by its tax id (CUI, digits only). The same as the tool get_company, at the same " +
			"cost: 1 credit with a key, free without one. After adding it to a watch-list with watch_company, " +
			"subscribe to it for notifications of changes.",
	},
	{
		scheme: watchlistScheme, parameter: "id", operation: "list_watched_companies",
		name: "watchlist", title: "Companies of a watch-list",
		description: "Up to 100 companies that watch_company added, with the times of their last check and last change. " +
			"The id default is the account's first watch-list. Needs a key; free. Subscribe to it for " +
			"notifications of changes to any of them; list_changes returns what changed.",
	},
}

func (r *resource) template() string { return r.scheme + "{" + r.parameter + "}" }

func (r *resource) definition() protocol.ResourceTemplate {
	return protocol.NewResourceTemplate(r.template(), r.name, protocol.WithTemplateDescription(r.description),
		protocol.WithTemplateMIMEType("application/json"), func(t *protocol.ResourceTemplate) { t.Title = r.title })
}

// resource returns the operation behind the resource that a message reads; nil if there is no such resource.
func (h *Handler) resource(m *message) *invocation {
	uri := m.text("uri")
	for _, r := range resources {
		value, ok := strings.CutPrefix(uri, r.scheme)
		if !ok || len(uri) > longestURI { // checkParams refuses it
			continue
		}

		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		if o := h.operation(r.operation); o != nil {
			return &invocation{operation: o, args: op.Args{{Name: r.parameter, Text: value}}, uri: m.Params["uri"]}
		}
	}

	return nil
}

// operation finds an operation by name; nil if there is none.
func (h *Handler) operation(name string) *op.Operation {
	i := slices.IndexFunc(h.Operations, func(o *op.Operation) bool { return o.Name == name })
	if i < 0 {
		return nil
	}
	return h.Operations[i]
}

// readOther lets mcp-go answer for all other URIs. It adds the URI to errors, because clients expect it there and
// mcp-go omits it.
func (h *Handler) readOther(w http.ResponseWriter, r *http.Request, m *message) {
	answer := h.server.HandleMessage(r.Context(), m.body)
	refusal, refused := answer.(protocol.JSONRPCError)
	if !refused {
		sendJSON(w, http.StatusOK, append(mustEncode(answer), '\n'))
		return
	}

	templates := make([]string, len(resources))
	for i := range resources {
		templates[i] = resources[i].template()
	}

	f := invalid(refusal.Error.Code, "there is no resource at %s; there are %s", problem.Quoted(m.text("uri")),
		strings.Join(templates, ", "))
	f.Data = mustEncode(map[string]json.RawMessage{"uri": m.Params["uri"]})
	f.answer(w, m)
}
