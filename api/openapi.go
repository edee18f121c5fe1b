package api

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rodata/rodata/api/problem"
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
	document *Document
}

// addressPlaceholder stands for the address of the service.
const addressPlaceholder = "https://address.invalid"

// NewDescription describes operations and callbacks.
func NewDescription(ops []*Operation, callbacks ...*Callback) *Description {
	return &Description{around: sync.OnceValues(func() (before, after []byte) {
		before, after, _ = bytes.Cut(mustEncode(describe(ops, callbacks)), []byte(addressPlaceholder))
		return before, after
	})}
}

// At returns the description for a base URL. It caches the description for the last base URL only, because a service
// usually has one address. An empty base URL stands for the host that serves the description.
func (d *Description) At(baseURL string) *Document {
	if latest := d.latest.Load(); latest != nil && latest.baseURL == baseURL {
		return latest.document
	}

	before, after := d.around()
	quoted := mustEncode(cmp.Or(baseURL, "/"))
	document := NewDocument(slices.Concat(before, quoted[1:len(quoted)-1], after))
	d.latest.Store(&addressed{baseURL, document})
	return document
}

func describe(ops []*Operation, callbacks []*Callback) *object {
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

// members returns a JSON object of alternating names and values.
func members(pairs ...any) *object {
	o := new(object)
	for i := 0; i < len(pairs); i += 2 {
		o.add(pairs[i].(string), pairs[i+1])
	}
	return o
}

// parameter describes a parameter in a path, query or header.
func parameter(in, name string, required bool, description string, schema Schema) *object {
	return members("name", name, "in", in, "required", required, "description", description, "schema", schema)
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
			"description", "A signed-in session (/api/auth); over https the cookie's name begins with __Secure-. "+
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

func apiTags(ops []*Operation) []*object {
	var used []*object
	for _, tag := range tags {
		if slices.ContainsFunc(ops, func(op *Operation) bool { return op.Tag == tag.name }) {
			used = append(used, members("name", tag.name, "description", tag.description))
		}
	}

	return used
}

func apiPaths(c *components, ops []*Operation, callbacks []*Callback) *object {
	paths := new(object)
	for i, op := range ops {
		if slices.IndexFunc(ops, func(o *Operation) bool { return o.Path == op.Path }) < i {
			continue // the first operation of its path declares it
		}

		path := new(object)
		for _, o := range ops {
			if o.Path == op.Path {
				path.add(strings.ToLower(o.Method), apiOperation(c, o))
			}
		}

		paths.add(op.Path, path)
	}

	for _, callback := range callbacks {
		paths.add(callback.Path, members(strings.ToLower(callback.Method), apiCallback(c, callback)))
	}

	return paths
}

func apiOperation(c *components, op *Operation) *object {
	o := apiHead(op)
	switch {
	case op.HasBody():
		if parameters := besideBody(c, op); len(parameters) > 0 {
			o.add("parameters", parameters)
		}

		content := new(object)
		if !op.TakesFile() {
			content.add(jsonType, members("schema", c.refer(op.jsonBody())))
		}

		for _, p := range op.Params() {
			if p.Media != "" {
				content.add(p.Media, members("schema",
					Schema{Type: "string", Format: p.Schema.Format, Description: p.Schema.Description}))
			}
		}

		if op.TakesFile() {
			content.add(MultipartType, members("schema", fileForm))
		}

		o.add("requestBody", members("required", op.NeedsBody() || op.Method == http.MethodPost, "content", content))
	case len(op.Params()) > 0:
		parameters := apiParameters(c, op, func(Param) bool { return true })
		if op.Followable() {
			parameters = append(parameters, followParameters()...)
		}

		parameters = append(parameters, exportParameters(c, op)...)
		o.add("parameters", parameters)
	}

	o.add("responses", apiResponses(c, op))
	return o
}

func apiCallback(c *components, callback *Callback) *object {
	o := apiHead(callback.Operation)
	o.add("parameters", []*object{parameter("header", callback.Signature, true, "The sender's signature of the body.",
		Schema{Type: "string"})})
	o.add("requestBody", members("required", true, "content",
		members(jsonType, members("schema", Schema{Type: "object"}))))
	o.add("responses", apiResponses(c, callback.Operation))
	return o
}

// apiHead has the members common to operations and callbacks.
func apiHead(op *Operation) *object {
	o := members(
		"operationId", op.Name,
		"summary", op.Title,
		"description", op.Description,
		"tags", []string{op.Tag},
		"x-credits-cost", op.Cost,
	)
	if op.Tool {
		o.add("x-mcp-tool", op.ToolID())
	}

	switch {
	case op.Unmetered:
		o.add("security", []*object{})
	case op.Account:
		o.add("security", []*object{members("key", []string{}), members("keyHeader", []string{}),
			members("session", []string{})})
	}

	return o
}

// besideBody returns the parameters outside the body, for an operation with a body.
func besideBody(c *components, op *Operation) []*object {
	if op.ByRow() {
		return rowParameters()
	}
	if op.TakesFile() {
		return append(apiParameters(c, op, func(p Param) bool { return p.Media == "" }), uploadParameters()...)
	}

	inQuery := slices.ContainsFunc(op.Params(), func(p Param) bool { return p.Media != "" })
	return apiParameters(c, op, func(p Param) bool { return p.InPath || inQuery && p.Media == "" && !p.form.nested })
}

// jsonBody is the schema of a JSON body.
func (op *Operation) jsonBody() Schema {
	s := Schema{Type: "object", Properties: []Property{}, Closed: true, Name: pascal(op.Name) + "Request"}
	for _, p := range op.binding.params {
		if p.InPath || p.Media != "" {
			continue
		}

		s.Properties = append(s.Properties, Property{p.Name, p.Schema})
		if p.Required {
			s.Required = append(s.Required, p.Name)
		}
	}

	return s
}

// apiParameters returns the parameters that wanted selects. For an operation with a body, the query parameters are for
// bodies that are not JSON.
func apiParameters(c *components, op *Operation, wanted func(Param) bool) []*object {
	var parameters []*object
	for _, p := range op.Params() {
		if !wanted(p) {
			continue
		}

		in, schema := "query", p.Schema
		if p.InPath {
			in = "path"
		}
		if textNumbers[op.Name] && schema.Precise != nil && schema.Precise.Type == "integer" {
			schema.Precise = nil
		}

		schema.Description = ""
		parameters = append(parameters,
			parameter(in, p.Name, p.Required || p.InPath, p.Schema.Description, c.refer(schema)))
	}

	return parameters
}

// textNumbers lists the operations with whole numbers that are strings in the contract. Other operations use integers.
var textNumbers = map[string]bool{"search_companies": true, "search_caen_codes": true}

func apiResponses(c *components, op *Operation) *object {
	responses := new(object)
	success := members("description", "Success.")
	limits := []string{"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Policy", "RateLimit", "x-credits-cost",
		"x-credits-remaining"}
	switch {
	case op.Unmetered:
	case op.Account:
		success.add("headers", headerRefs(limits...))
	default:
		success.add("headers", headerRefs(append(limits, "x-cache", "ETag")...))
	}

	if op.Success != http.StatusNoContent {
		success.add("content", apiContent(c, op))
	}
	if op.TakesFile() {
		responses.add("200", members("description", "The job has already ended (Prefer: wait).", "content",
			apiContent(c, op)))
	}

	responses.add(strconv.Itoa(op.Success), success)
	ranges := slices.Contains(op.Problems(), problem.RangeNotSatisfiable)
	if ranges {
		responses.add("206", members("description", "The requested byte range of the file.", "content",
			apiContent(c, op)))
	}
	if op.Method == http.MethodGet && (!op.Account || ranges) {
		responses.add("304", members("description", "The client's copy is current (If-None-Match)."))
	}

	for _, status := range statuses(op.Problems()) {
		responses.add(strconv.Itoa(status.code), c.response(status))
	}

	return responses
}

// apiContent describes the media types of an operation's answer.
func apiContent(c *components, op *Operation) *object {
	first, example := op.Offers()[0], exampleOf(op.Name)
	if example == nil {
		example = textExample(op, first)
	}

	content := members(first, withExample(members("schema", c.refer(op.Output())), example))
	text := func(media, description string) {
		content.add(media, withExample(members("schema", Schema{Type: "string", Description: description}),
			textExample(op, media)))
	}

	for _, alternate := range op.Alternates {
		text(alternate.Type, alternate.Description)
	}

	if op.Followable() {
		text(SSEType, "Events with the fields id (the cursor), event (the type) and data (the item), and a comment "+
			"every 15 seconds.")
		text(NDJSONType, "One item a line, and an empty line every 15 seconds.")
	}

	if op.ByRow() && op.Media == "" {
		content.add(NDJSONType, withExample(members("schema", c.line(op)), firstItem(example)))
		text("text/csv", "A header line, and a line for each item.")
	}

	return content
}

// line is the schema of a line of a stream: an item, or the summary at the end.
func (c *components) line(op *Operation) *object {
	summary := op.rows.summary
	whole := Schema{Type: "integer"}
	whole.Description = "Credits charged for the call."
	summary.Properties = append(slices.Clip(summary.Properties), Property{"creditsCost", whole})
	whole.Description = "Credits left this month; absent for callers without a key and plans without a limit."
	summary.Properties = append(summary.Properties, Property{"creditsRemaining", whole})

	end := Schema{Type: "object", Properties: []Property{{"summary", c.refer(summary)}}, Required: []string{"summary"}}
	return members("anyOf", []any{c.refer(op.Item()), end}, "description",
		"An item or, on the last line, the summary.")
}

// exportParameters returns the parameters that only an operation's export accepts.
func exportParameters(c *components, op *Operation) []*object {
	if op.export == nil {
		return nil
	}

	format := Schema{Type: "string", Enum: op.Formats(), Default: formatJSON}
	own := apiParameters(c, op.export, func(p Param) bool {
		return !slices.ContainsFunc(op.Params(), func(known Param) bool { return known.Name == p.Name })
	})
	return append([]*object{parameter("query", "format", false, op.export.Description, format)}, own...)
}

// followParameters are the header parameters of all followable operations.
func followParameters() []*object {
	return []*object{
		parameter("header", "Accept", false, "application/json for a page; "+SSEType+" for a live stream of events, "+
			NDJSONType+" for the same with one per line. A stream begins after the cursor in after or "+
			"Last-Event-ID, and ends now and then: continue after the last event.",
			Schema{Type: "string", Default: jsonType}),
		parameter("header", "Last-Event-ID", false,
			"For a stream, instead of after: browsers send it when they reconnect.", Schema{Type: "string"}),
	}
}

// rowParameters are the header parameters of all operations that answer row by row.
func rowParameters() []*object {
	return []*object{
		parameter("header", "Accept", false, "application/json for all items in one object; "+NDJSONType+
			" for a stream with one item a line, sent once known, ending with {\"summary\": {...}}: a stream "+
			"without it was cut off; text/csv for a table.", Schema{Type: "string", Default: jsonType}),
		parameter("query", "order", false, "The order of a stream: as items become known, or as they were sent.",
			Schema{Type: "string", Enum: []string{"known", "input"}, Default: "known"}),
		parameter("query", "delimiter", false, "Cell separator of a table: a comma, a semicolon or a tab. With a "+
			"semicolon the file begins with a byte order mark, for Romanian spreadsheets.",
			Schema{Type: "string", Enum: []string{",", ";", "tab"}, Default: ","}),
		parameter("header", "Idempotency-Key", false,
			"Your own text for each call, such as a UUID: repeating the call with it within 24 hours does not "+
				"charge again for what was paid.", Schema{Type: "string", MaxLength: longestIdempotencyKey}),
	}
}

func headerRefs(names ...string) *object {
	refs := new(object)
	for _, name := range names {
		refs.add(name, members("$ref", "#/components/headers/"+name))
	}
	return refs
}

func apiHeaders() *object {
	headers := new(object)
	add := func(name, kind, description string) {
		headers.add(name, members("description", description, "schema", members("type", kind)))
	}

	add("RateLimit-Limit", "integer", "Requests per second allowed by the caller's plan.")
	add("RateLimit-Remaining", "integer", "Tokens left in the caller's bucket.")
	add("RateLimit-Policy", "string", "The caller's limit as a structured field: its plan or \"anonymous\", q "+
		"requests at once, and w, the seconds in which an empty bucket refills. If company calls without a key have "+
		"a daily allowance, it is a second item.")
	add("RateLimit", "string", "The caller's bucket as a structured field: its plan or \"anonymous\", r tokens left, "+
		"and t, the seconds until the bucket is full or, if it is empty, until its next token. A daily allowance is "+
		"a second item: r calls left, and t seconds until it is renewed.")
	add("x-credits-cost", "integer", "Credits charged for the call; 0 for free operations, anonymous callers, and "+
		"every answer that is not a success.")
	add("x-credits-remaining", "integer",
		"Credits left this month; absent for anonymous callers and unlimited plans.")
	add("x-cache", "string", "HIT if all registry data in the answer came from the cache, otherwise MISS.")
	add("ETag", "string", "Entity tag; send it as If-None-Match to receive a 304 if nothing has changed.")
	add("Retry-After", "integer", "Seconds to wait before trying again.")
	return headers
}
