package openapi

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/op"
)

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

// New describes a contract.
func New(c Contract) *Description {
	return &Description{around: sync.OnceValues(func() (before, after []byte) {
		before, after, _ = bytes.Cut(jsontext.MustEncode(describe(&c)), []byte(addressPlaceholder))
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

func describe(contract *Contract) *object {
	c := newComponents(contract)
	paths, webhooks := c.paths(), new(object)
	for _, w := range contract.Webhooks {
		webhooks.Add(w.Name, members("post", c.webhook(w)))
	}

	return members(
		"openapi", "3.1.0",
		"info", contract.Info.describe(),
		"servers", []*object{members("url", addressPlaceholder)},
		"security", []*object{members(), members("key", []string{}), members("keyHeader", []string{})},
		"tags", contract.usedTags(),
		"paths", paths,
		"webhooks", webhooks,
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

func (i *Info) describe() *object {
	return members("title", i.Title, "version", i.Version, "summary", i.Summary, "description", i.Description,
		"license", members("name", i.License, "identifier", i.License))
}

func (c *Contract) usedTags() []*object {
	var used []*object
	for _, tag := range c.Tags {
		if slices.ContainsFunc(c.Operations, func(o *op.Operation) bool { return o.Tag == tag }) {
			used = append(used, members("name", tag.Name, "description", tag.Description))
		}
	}

	return used
}
