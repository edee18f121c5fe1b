package api

import (
	"bytes"
	"cmp"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rodata/rodata/api/problem"
)

// Version is the version of the contract in the OpenAPI description. A change that existing
// clients would notice needs a new one.
const Version = "1.1.0"

// Description is the OpenAPI 3.1 description of the operations. It is encoded once, when it is
// first asked for, except for the address of the service, which depends on the request.
type Description struct {
	around func() (before, after []byte) // the address
}

// somewhere is the placeholder for the address of the service.
const somewhere = "https://address.invalid"

// NewDescription describes operations and callbacks.
func NewDescription(ops []*Operation, callbacks ...*Callback) *Description {
	return &Description{sync.OnceValues(func() (before, after []byte) {
		before, after, _ = bytes.Cut(mustEncode(describe(ops, callbacks, somewhere)), []byte(somewhere))
		return before, after
	})}
}

// At returns the description for a base URL. An empty one stands for the host that served
// the description.
func (d *Description) At(baseURL string) *Document {
	before, after := d.around()
	quoted := mustEncode(cmp.Or(baseURL, "/"))
	return NewDocument(slices.Concat(before, quoted[1:len(quoted)-1], after))
}

func describe(ops []*Operation, callbacks []*Callback, baseURL string) *object {
	return members(
		"openapi", "3.1.0",
		"info", apiInfo(),
		"servers", []*object{members("url", baseURL)},
		"security", []*object{members(), members("key", []string{}), members("keyHeader", []string{})},
		"tags", apiTags(ops),
		"paths", apiPaths(ops, callbacks),
		"components", members(
			"securitySchemes", members("key", members(
				"type", "http", "scheme", "bearer",
				"description", "An API key: Authorization: Bearer <key>. Data operations also work without one, limited by address."),
				"keyHeader", members(
					"type", "apiKey", "in", "header", "name", "x-api-key",
					"description", "The same key: x-api-key: <key>. Two different keys in both headers are a 400."),
				"session", members(
					"type", "apiKey", "in", "cookie", "name", "better-auth.session_token",
					"description", "The session of who is signed in (/api/auth); over https the cookie's name begins with __Secure-. Changes also need the header Origin, of the service itself or of a page that its operator trusts.")),
			"headers", apiHeaders(),
			"schemas", members("Problem", problemSchema()),
		),
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

func apiInfo() *object {
	return members(
		"title", "rodata: Romanian public data",
		"version", Version,
		"summary", "Companies, CAEN Rev.3, counties and localities, official exchange rates.",
		"description", "One gateway to the Romanian tax authority (ANAF), trade register (ONRC) and central bank (BNR). "+
			"The same operations are MCP tools at /mcp, with the same validation, cost and limits. "+
			"Every answer that is not a success is a problem object (application/problem+json); its type is the address of a page that explains it.",
		"license", members("name", "Apache-2.0", "identifier", "Apache-2.0"),
	)
}

// tags group the operations, in the order in which they are shown.
var tags = []struct{ name, description string }{
	{"Companies", "Profiles of companies by tax id, and the search of the trade register."},
	{"Watching", "Watch-lists of companies, and what changed about them. These operations need a key of the account, or the session of who is signed in."},
	{"CAEN", "The official classification of activities, Rev.3, with its Rev.2 predecessors."},
	{"Places", "Counties and localities, with the tax authority's and SIRUTA codes."},
	{"Exchange rates", "The central bank's reference rates: a day, a series, a conversion."},
	{"Calendar", "Public holidays and bank days, and due dates computed with them."},
	{"Account", "The caller's own API keys. These operations need a key of the account, or the session of who is signed in."},
	{"Billing", "Plans to buy, the subscription, invoices. These operations need a key of the account, or the session of who is signed in."},
	{"System", "State of the service, plans, contact."},
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

func apiPaths(ops []*Operation, callbacks []*Callback) *object {
	paths := new(object)
	for i, op := range ops {
		if slices.IndexFunc(ops, func(o *Operation) bool { return o.Path == op.Path }) < i {
			continue // stands with the first of its path
		}
		path := new(object)
		for _, o := range ops {
			if o.Path == op.Path {
				path.add(strings.ToLower(o.Method), apiOperation(o))
			}
		}

		paths.add(op.Path, path)
	}

	for _, c := range callbacks {
		paths.add(c.Path, members(strings.ToLower(c.Method), apiCallback(c)))
	}
	return paths
}

func apiOperation(op *Operation) *object {
	o := apiHead(op)
	switch {
	case op.HasBody():
		if parameters := besideBody(op); len(parameters) > 0 {
			o.add("parameters", parameters)
		}
		content := members("application/json", members("schema", op.jsonBody()))
		for _, p := range op.Params() {
			if p.Media != "" {
				content.add(p.Media, members("schema", Schema{Type: "string", Description: p.Schema.Description}))
			}
		}
		o.add("requestBody", members("required", op.NeedsBody() || op.Method == http.MethodPost, "content", content))
	case len(op.Params()) > 0:
		parameters := apiParameters(op, func(Param) bool { return true })
		if op.Followable() {
			parameters = append(parameters, followParameters()...)
		}
		o.add("parameters", parameters)
	}

	o.add("responses", apiResponses(op))
	return o
}

func apiCallback(c *Callback) *object {
	o := apiHead(c.Operation)
	o.add("parameters", []*object{members("name", c.Signature, "in", "header", "required", true, "description", "The sender's signature of the body.", "schema", Schema{Type: "string"})})
	o.add("requestBody", members("required", true, "content", members("application/json", members("schema", Schema{Type: "object"}))))
	o.add("responses", apiResponses(c.Operation))
	return o
}

// apiHead is what an operation and a callback have in common.
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
		o.add("security", []*object{members("key", []string{}), members("keyHeader", []string{}), members("session", []string{})})
	}

	return o
}

// besideBody are the parameters of an operation with a body that are not in it.
func besideBody(op *Operation) []*object {
	if op.ByRow() {
		return rowParameters()
	}
	inQuery := slices.ContainsFunc(op.Params(), func(p Param) bool { return p.Media != "" })
	return apiParameters(op, func(p Param) bool { return p.InPath || inQuery && p.Media == "" && !p.form.nested })
}

// jsonBody is the schema of a JSON body.
func (op *Operation) jsonBody() Schema {
	s := Schema{Type: "object", Properties: []Property{}, Closed: true}
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

// apiParameters are the parameters that are wanted. Those in the query of an operation with a body are for bodies that
// are not JSON.
func apiParameters(op *Operation, wanted func(Param) bool) []*object {
	var parameters []*object
	for _, p := range op.Params() {
		if !wanted(p) {
			continue
		}
		in, schema := "query", p.Schema
		if p.InPath {
			in = "path"
		}
		schema.Description = ""
		parameters = append(parameters, members(
			"name", p.Name, "in", in, "required", p.Required || p.InPath, "description", p.Schema.Description, "schema", schema))
	}

	return parameters
}

func apiResponses(op *Operation) *object {
	responses := new(object)
	success := members("description", "Success.")
	limits := []string{"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Policy", "RateLimit", "x-credits-cost", "x-credits-remaining"}
	switch {
	case op.Unmetered:
	case op.Account:
		success.add("headers", headerRefs(limits...))
	default:
		success.add("headers", headerRefs(append(limits, "x-cache", "ETag")...))
	}

	if op.Success != http.StatusNoContent {
		success.add("content", apiContent(op))
	}
	responses.add(strconv.Itoa(op.Success), success)
	if op.Method == http.MethodGet && !op.Account {
		responses.add("304", members("description", "The client has the answer already (If-None-Match)."))
	}

	for _, status := range statuses(op.Problems()) {
		problem := members("description", status.meaning)
		switch status.code {
		case http.StatusTooManyRequests:
			problem.add("headers", headerRefs("Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Policy", "RateLimit"))
		case http.StatusServiceUnavailable:
			problem.add("headers", headerRefs("Retry-After"))
		}

		problem.add("content", members("application/problem+json", members("schema", members("$ref", "#/components/schemas/Problem"))))
		responses.add(strconv.Itoa(status.code), problem)
	}

	return responses
}

// apiContent is the forms in which an operation answers.
func apiContent(op *Operation) *object {
	content := members(op.Offers()[0], members("schema", op.Output()))
	for _, alternate := range op.Alternates {
		content.add(alternate.Type, members("schema", Schema{Type: "string", Description: alternate.Description}))
	}
	if op.Followable() {
		content.add(SSEType, members("schema", Schema{Type: "string", Description: "Events with the fields id (the cursor), event (the type) and data (the item), and a comment every 15 seconds."}))
		content.add(NDJSONType, members("schema", Schema{Type: "string", Description: "An item in a line, and an empty line every 15 seconds."}))
	}
	if op.ByRow() {
		content.add(NDJSONType, members("schema", op.Item()))
		content.add("text/csv", members("schema", Schema{Type: "string", Description: "A line with the names of the columns, and one for each item."}))
	}
	return content
}

// followParameters are the header parameters of all operations that can be followed.
func followParameters() []*object {
	header := func(name, description, standard string) *object {
		return members("name", name, "in", "header", "required", false, "description", description, "schema", Schema{Type: "string", Default: standard})
	}
	return []*object{
		header("Accept", "application/json for a page; "+SSEType+" for a stream of events as they come, "+NDJSONType+" for the same with one in a line. A stream begins after the place in after or Last-Event-ID, and ends now and then: go on after the last event.", "application/json"),
		header("Last-Event-ID", "Of a stream: in place of after, as browsers send it when they come back.", ""),
	}
}

// rowParameters are those of every operation that answers row by row.
func rowParameters() []*object {
	parameter := func(in, name, description string, schema Schema) *object {
		return members("name", name, "in", in, "required", false, "description", description, "schema", schema)
	}
	return []*object{
		parameter("header", "Accept", "application/json for all items in one object; "+NDJSONType+" for a stream of one item a line as it becomes known, with {\"summary\": {...}} as the last line: a stream without it was cut; text/csv for a table.", Schema{Type: "string", Default: "application/json"}),
		parameter("query", "order", "The order of a stream: as the items become known, or as they were sent.", Schema{Type: "string", Enum: []string{"known", "input"}, Default: "known"}),
		parameter("query", "delimiter", "What separates the cells of a table: a comma, a semicolon or a tab. With a semicolon the file begins with a byte order mark, for spreadsheets in Romanian.", Schema{Type: "string", Enum: []string{",", ";", "tab"}, Default: ","}),
		parameter("header", "Idempotency-Key", "A text of your own for each call, such as a UUID: who repeats the call with it within 24 hours is not charged again for what was paid.", Schema{Type: "string", MaxLength: longestIdempotencyKey}),
	}
}

type problemStatus struct {
	code    int
	meaning string
}

// statuses joins the kinds that share a status.
func statuses(kinds []*problem.Kind) []problemStatus {
	var all []problemStatus
	for _, k := range kinds {
		meaning := k.Slug + ": " + k.Meaning
		if n := len(all); n > 0 && all[n-1].code == k.Status {
			all[n-1].meaning += " " + meaning
		} else {
			all = append(all, problemStatus{k.Status, meaning})
		}
	}

	return all
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

	add("RateLimit-Limit", "integer", "Requests a second allowed for the caller's plan.")
	add("RateLimit-Remaining", "integer", "Tokens left in the caller's bucket.")
	add("RateLimit-Policy", "string", "The caller's limit as a structured field: its plan or \"anonymous\", q requests at once, and w, the seconds in which an empty bucket fills again. Where company calls without a key have a daily allowance, it is a second item.")
	add("RateLimit", "string", "The caller's bucket as a structured field: its plan or \"anonymous\", r tokens left, and t, the seconds until the bucket is full again, or has its next token when it is empty. Of a daily allowance, a second item, r calls are left, and in t seconds it is whole again.")
	add("x-credits-cost", "integer", "Credits charged for the call; 0 for free operations, anonymous callers, and every answer that is not a success.")
	add("x-credits-remaining", "integer", "Credits left in the month; absent for anonymous callers and unlimited plans.")
	add("x-cache", "string", "HIT when every registry fact in the answer came from the cache, otherwise MISS.")
	add("ETag", "string", "Entity tag; send it back as If-None-Match to be answered 304 when nothing changed.")
	add("Retry-After", "integer", "Seconds to wait before trying again.")
	return headers
}

func problemSchema() Schema {
	text := func(description string) Schema { return Schema{Type: "string", Description: description} }
	wrong := SchemaOf(reflect.TypeFor[problem.InputError]())
	codes := Schema{Type: "string", Description: "What kind of problem it is, for programs to decide by: the end of type, which does not depend on the host."}
	for _, k := range problem.Kinds {
		codes.Enum = append(codes.Enum, k.Slug)
	}

	successor := SchemaOf(reflect.TypeFor[Successor]())
	return Schema{
		Type:        "object",
		Description: "A problem, in the form of RFC 9457.",
		Properties: []Property{
			{"type", Schema{Type: "string", Format: "uri", Description: "Address of a page that explains the problem."}},
			{"title", text("What kind of problem it is.")},
			{"status", Schema{Type: "integer", Description: "HTTP status."}},
			{"detail", text("What was wrong with this call, and how to fix it.")},
			{"code", codes},
			{"errors", Schema{Type: "array", Items: &wrong, Description: "What is wrong with the call, one by one."}},
			{"id", text("Names the log entry of an internal error.")},
			{"needed", Schema{Type: "integer", Description: "Of a list without enough credits: what it can cost."}},
			{"remaining", Schema{Type: "integer", Description: "Of a list without enough credits: what is left."}},
			{"oldestCursor", Schema{Type: "string", Description: "Of an expired cursor: the oldest place after which all events are kept."}},
			{"successors", Schema{Type: "array", Items: &successor, Description: "The codes that replace a dropped CAEN Rev.2 code."}},
		},
		Required: []string{"type", "title", "status", "detail", "code"},
	}
}
