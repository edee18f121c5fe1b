package openapi

import (
	"slices"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
)

// parameter describes a parameter in a path, query or header.
func parameter(in, name string, required bool, description string, schema jsonschema.Schema) *object {
	return members("name", name, "in", in, "required", required, "description", description, "schema", schema)
}

// parameters returns the parameters that wanted selects. For an operation with a body, the query parameters are for
// bodies that are not JSON.
func (c *components) parameters(o *op.Operation, wanted func(op.Param) bool) []*object {
	var parameters []*object
	for _, p := range o.Params() {
		if !wanted(p) {
			continue
		}

		in, schema := "query", p.Schema
		if p.InPath {
			in = "path"
		}
		if o.TextNumbers && schema.Precise != nil && schema.Precise.Type == "integer" {
			schema.Precise = nil
		}

		schema.Description = ""
		parameters = append(parameters,
			parameter(in, p.Name, p.Required || p.InPath, p.Schema.Description, c.refer(schema)))
	}

	return parameters
}

// besideBody returns the parameters outside the body, for an operation with a body.
func (c *components) besideBody(o *op.Operation) []*object {
	if o.HasRows() {
		return rowParameters()
	}
	if o.TakesFile() {
		parameters := c.parameters(o, func(p op.Param) bool { return p.Media == "" })
		if o.Mutates {
			parameters = append(parameters, c.contract.Upload.parameters()...)
		}
		return parameters
	}

	inQuery := slices.ContainsFunc(o.Params(), func(p op.Param) bool { return p.Media != "" })
	return c.parameters(o, func(p op.Param) bool { return p.InPath || inQuery && p.Media == "" && !p.IsList() })
}

// rowParameters are the header parameters of all operations that answer row by row.
func rowParameters() []*object {
	return []*object{
		parameter("header", "Accept", false, "application/json for all items in one object; "+op.NDJSONType+
			" for a stream with one item a line, sent once known, ending with {\"summary\": {...}}: a stream "+
			"without it was cut off; text/csv for a table.", jsonschema.Schema{Type: "string", Default: op.JSONType}),
		parameter("query", "order", false, "The order of a stream: as items become known, or as they were sent.",
			jsonschema.Schema{Type: "string", Enum: []string{"known", "input"}, Default: "known"}),
		parameter("query", "delimiter", false, "Cell separator of a table: a comma, a semicolon or a tab. With a "+
			"semicolon the file begins with a byte order mark, for Romanian spreadsheets.",
			jsonschema.Schema{Type: "string", Enum: []string{",", ";", "tab"}, Default: ","}),
		parameter("header", "Idempotency-Key", false,
			"Your own text for each call, such as a UUID: repeating the call with it within 24 hours does not "+
				"charge again for what was paid.",
			jsonschema.Schema{Type: "string", MaxLength: op.LongestIdempotencyKey}),
	}
}

// followParameters are the header parameters of all followable operations.
func followParameters() []*object {
	return []*object{
		parameter("header", "Accept", false,
			"application/json for a page; "+op.SSEType+" for a live stream of events, "+
				op.NDJSONType+" for the same with one per line. A stream begins after the cursor in after or "+
				"Last-Event-ID, and ends now and then: continue after the last event.",
			jsonschema.Schema{Type: "string", Default: op.JSONType}),
		parameter("header", "Last-Event-ID", false,
			"For a stream, instead of after: browsers send it when they reconnect.", jsonschema.Schema{Type: "string"}),
	}
}

// exportParameters returns the parameters that only an operation's export accepts.
func (c *components) exportParameters(o *op.Operation) []*object {
	if o.Export() == nil {
		return nil
	}

	format := jsonschema.Schema{Type: "string", Enum: o.Formats(), Default: op.FormatJSON}
	own := c.parameters(o.Export(), func(p op.Param) bool {
		return !slices.ContainsFunc(o.Params(), func(known op.Param) bool { return known.Name == p.Name })
	})
	return append([]*object{parameter("query", "format", false, o.Export().Description, format)}, own...)
}
