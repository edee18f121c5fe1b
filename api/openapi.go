package api

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/op"
)

// Version is the version of the contract in the OpenAPI description. A change that existing clients would notice
// requires a new version.
const Version = "1.3.0"

// Description is the OpenAPI 3.1 description of the operations. It is encoded once, on first use, except for the
// service's address, which depends on the request.
type Description struct {
	around func() (before, after []byte) // the text before and after the address
	latest atomic.Pointer[addressed]
}

// addressed is the description for a base URL.
type addressed struct {
	baseURL  string
	document *op.Document
}

// addressPlaceholder stands for the address of the service.
const addressPlaceholder = "https://address.invalid"

// NewDescription describes operations and callbacks.
func NewDescription(ops []*op.Operation, callbacks ...*op.Callback) *Description {
	return &Description{around: sync.OnceValues(func() (before, after []byte) {
		before, after, _ = bytes.Cut(jsontext.MustEncode(describe(ops, callbacks)), []byte(addressPlaceholder))
		return before, after
	})}
}

// At returns the description for a base URL. It caches the description for the last base URL only, because a service
// usually has one address. An empty base URL stands for the host that serves the description.
func (d *Description) At(baseURL string) *op.Document {
	if latest := d.latest.Load(); latest != nil && latest.baseURL == baseURL {
		return latest.document
	}

	before, after := d.around()
	quoted := jsontext.MustEncode(cmp.Or(baseURL, "/"))
	document := op.NewDocument(slices.Concat(before, quoted[1:len(quoted)-1], after))
	d.latest.Store(&addressed{baseURL, document})
	return document
}

// object is a part of the description.
type object = jsontext.Object

// members returns a part of the description of alternating names and values.
func members(pairs ...any) *object { return jsontext.NewObject(pairs...) }

func describe(ops []*op.Operation, callbacks []*op.Callback) *object {
	c := newComponents()
	paths := apiPaths(c, ops, callbacks)

	return members(
		"openapi", "3.1.0",
		"info", apiInfo(),
		"servers", []*object{members("url", addressPlaceholder)},
		"security", []*object{members(), members("key", []string{}), members("keyHeader", []string{})},
		"tags", apiTags(ops),
		"paths", paths,
		"webhooks", apiWebhooks(c),
		"components", c.describe(),
	)
}

func securitySchemes() *object {
	return members("key", members(
		"type", "http", "scheme", "bearer",
		"description", "An API key: Authorization: Bearer <key>. Data operations also work without one, limited by "+
			"address."),
		"keyHeader", members(
			"type", "apiKey", "in", "header", "name", "x-api-key",
			"description", "The same key: x-api-key: <key>. Different keys in the two headers are a 400."),
		"session", members(
			"type", "apiKey", "in", "cookie", "name", "better-auth.session_token",
			"description", "A signed-in session (/api/auth); over https the cookie's name begins with __Host-. "+
				"Changes also need an Origin header with the service's own origin or one that its operator "+
				"trusts."))
}

func apiInfo() *object {
	return members(
		"title", "rodata: Romanian public data",
		"version", Version,
		"summary", "Companies, CAEN Rev.3, counties and localities, official exchange rates.",
		"description", "One gateway to the Romanian tax authority (ANAF), trade register (ONRC) and central bank "+
			"(BNR). "+
			"The same operations are MCP tools at /mcp, with the same validation, cost and limits. "+
			"Every error is a problem object (application/problem+json); its type is the URL of a page that "+
			"explains it.",
		"license", members("name", "Apache-2.0", "identifier", "Apache-2.0"),
	)
}

// tags group the operations, in display order.
var tags = []struct{ name, description string }{
	{"Companies", "Company profiles by tax id, and trade register search."},
	{"Watching", "Watch-lists of companies, and changes to them. These operations need an API key or a signed-in " +
		"session."},
	{"Releases", "The whole trade register, in files for data tools."},
	{"CAEN", "The official classification of activities, Rev.3, with its Rev.2 predecessors."},
	{"Places", "Counties and localities, with the tax authority's and SIRUTA codes."},
	{"Exchange rates", "The central bank's reference rates, their history, and conversion."},
	{"Calendar", "Public holidays, bank days, and due dates computed with them."},
	{"Account", "The caller's own API keys. These operations need an API key or a signed-in session."},
	{"Billing", "Plans for sale, the subscription, invoices. These operations need an API key or a signed-in session."},
	{"System", "Service status, plans, contact."},
}

func apiTags(ops []*op.Operation) []*object {
	var used []*object
	for _, tag := range tags {
		if slices.ContainsFunc(ops, func(o *op.Operation) bool { return o.Tag == tag.name }) {
			used = append(used, members("name", tag.name, "description", tag.description))
		}
	}

	return used
}
