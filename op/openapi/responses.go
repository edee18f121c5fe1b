package openapi

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

func (c *components) responsesOf(o *op.Operation) *object {
	responses := new(object)
	success := members("description", "Success.")
	limits := []string{"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Policy", "RateLimit", "x-credits-cost",
		"x-credits-remaining"}
	switch {
	case o.Unmetered:
	case o.Account:
		success.Add("headers", headerRefs(limits...))
	default:
		success.Add("headers", headerRefs(append(limits, "x-cache", "ETag")...))
	}

	if o.Success != http.StatusNoContent {
		success.Add("content", c.content(o))
	}
	if o.TakesFile() && o.Mutates {
		responses.Add("200", members("description", c.contract.Upload.Ended, "content",
			c.content(o)))
	}

	responses.Add(strconv.Itoa(o.Success), success)
	ranges := slices.Contains(o.Problems(), problem.RangeNotSatisfiable)
	if ranges {
		responses.Add("206", members("description", "The requested byte range of the file.", "content",
			c.content(o)))
	}
	if o.Method == http.MethodGet && (!o.Account || ranges) {
		responses.Add("304", members("description", "The client's copy is current (If-None-Match)."))
	}

	for _, status := range statuses(o.Problems()) {
		responses.Add(strconv.Itoa(status.code), c.response(status))
	}

	return responses
}

// content describes the media types of an operation's answer.
func (c *components) content(o *op.Operation) *object {
	first, example := o.Offers()[0], c.contract.Example(o.Name, op.JSONType)
	if example == nil {
		example = c.contract.Example(o.Name, first)
	}

	content := members(first, withExample(members("schema", c.refer(o.Output())), example))
	text := func(media, description string) {
		content.Add(media, withExample(members("schema", jsonschema.Schema{Type: "string", Description: description}),
			c.contract.Example(o.Name, media)))
	}

	for _, alternate := range o.Alternates {
		text(alternate.Type, alternate.Description)
	}

	if o.IsFollowable() {
		text(op.SSEType, "Events with the fields id (the cursor), event (the type) and data (the item), and a comment "+
			"every 15 seconds.")
		text(op.NDJSONType, "One item a line, and an empty line every 15 seconds.")
	}

	if o.HasRows() && o.Media == "" {
		content.Add(op.NDJSONType, withExample(members("schema", c.line(o)), firstItem(example)))
		text("text/csv", "A header line, and a line for each item.")
	}

	return content
}

// line is the schema of a line of a stream: an item, or the summary at the end.
func (c *components) line(o *op.Operation) *object {
	summary := o.RowSummary()
	whole := jsonschema.Schema{Type: "integer"}
	whole.Description = "Credits charged for the call."
	summary.Properties = append(slices.Clip(summary.Properties),
		jsonschema.Property{Name: "creditsCost", Schema: whole})
	whole.Description = "Credits left this month; absent for callers without a key and plans without a limit."
	summary.Properties = append(summary.Properties, jsonschema.Property{Name: "creditsRemaining", Schema: whole})

	end := jsonschema.Schema{Type: "object", Required: []string{"summary"},
		Properties: []jsonschema.Property{{Name: "summary", Schema: c.refer(summary)}}}
	return members("anyOf", []any{c.refer(o.Item()), end}, "description",
		"An item or, on the last line, the summary.")
}

// firstItem returns the first of an example's items; nil without an example.
func firstItem(example json.RawMessage) json.RawMessage {
	var answer struct{ Items []json.RawMessage }
	if json.Unmarshal(example, &answer) != nil || len(answer.Items) == 0 {
		return nil
	}
	return answer.Items[0]
}

// withExample adds an example to a media type of the description, if there is one.
func withExample(media *object, example json.RawMessage) *object {
	if example != nil {
		media.Add("example", example)
	}
	return media
}

func headerRefs(names ...string) *object {
	refs := new(object)
	for _, name := range names {
		refs.Add(name, members("$ref", "#/components/headers/"+name))
	}
	return refs
}

func headers() *object {
	headers := new(object)
	add := func(name, kind, description string) {
		headers.Add(name, members("description", description, "schema", members("type", kind)))
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
