package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"github.com/rodata/rodata/op"
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

// resourceAt returns the resource of a URI; nil if there is none.
func resourceAt(uri string) *resource {
	for i := range resources {
		if strings.HasPrefix(uri, resources[i].scheme) {
			return &resources[i]
		}
	}

	return nil
}

// read answers with the document of the operation.
func (r *resource) read(ctx context.Context,
	request protocol.ReadResourceRequest) ([]protocol.ResourceContents, error) {
	x, uri := exchangeOf(ctx), request.Params.URI
	value := strings.TrimPrefix(uri, r.scheme)
	if plain, err := url.PathUnescape(value); err == nil {
		value = plain
	}

	i := slices.IndexFunc(x.Operations, func(o *op.Operation) bool { return o.Name == r.operation })
	reply := x.do(ctx, x.Operations[i], op.Args{{Name: r.parameter, Text: value}}, nil)
	if reply == nil {
		return nil, nil
	}

	document := x.document(reply)
	if reply.Problem != nil {
		x.fail(x.resourceFault(uri, reply))
		return nil, nil
	}

	return []protocol.ResourceContents{protocol.TextResourceContents{URI: uri, MIMEType: jsonType,
		Text: string(document)}}, nil
}

// date adds the facts about an answer to its result, and the time for which a client may cache it.
func date(ctx context.Context, _ any, _ *protocol.ReadResourceRequest, result *protocol.ReadResourceResult) {
	x := exchangeOf(ctx)
	reply := x.reply
	if reply == nil {
		return
	}

	result.Meta = facts(reply, nil)
	if !x.modern {
		return // the older revisions have no such members
	}

	ttl, scope := reply.MaxAge, protocol.CacheScopePublic
	if !reply.FreshUntil.IsZero() {
		ttl = min(ttl, time.Until(reply.FreshUntil))
	}
	if reply.Private || reply.Personal {
		scope = protocol.CacheScopePrivate
	}

	result.SetCacheHints(max(0, ttl).Milliseconds(), scope)
}

// missing is the code of the error for a resource that does not exist. The newer revisions have the same for an invalid
// one.
func (x *exchange) missing() int {
	if x.modern {
		return protocol.INVALID_PARAMS
	}
	return protocol.RESOURCE_NOT_FOUND
}

// resourceFault is the error of reading a resource, or of subscribing to it.
func (x *exchange) resourceFault(uri string, reply *op.Reply) *fault {
	code := protocol.INTERNAL_ERROR
	switch reply.Problem.Status() {
	case http.StatusNotFound:
		code = x.missing()
	case http.StatusBadRequest:
		code = protocol.INVALID_PARAMS
	}

	return &fault{code, reply.Problem.Detail, struct {
		URI     string          `json:"uri"`
		Problem json.RawMessage `json:"problem"`
		Retry   int             `json:"retryAfterSeconds,omitempty"`
	}{uri, x.document(reply), reply.RetrySeconds()}}
}
