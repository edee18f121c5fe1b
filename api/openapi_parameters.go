package api

import (
	"slices"

	"github.com/rodata/rodata/op/jsonschema"
)

// parameter describes a parameter in a path, query or header.
func parameter(in, name string, required bool, description string, schema jsonschema.Schema) *object {
	return members("name", name, "in", in, "required", required, "description", description, "schema", schema)
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

// besideBody returns the parameters outside the body, for an operation with a body.
func besideBody(c *components, op *Operation) []*object {
	if op.ByRow() {
		return rowParameters()
	}
	if op.TakesFile() {
		return append(apiParameters(c, op, func(p Param) bool { return p.Media == "" }), uploadParameters()...)
	}

	inQuery := slices.ContainsFunc(op.Params(), func(p Param) bool { return p.Media != "" })
	return apiParameters(c, op, func(p Param) bool { return p.InPath || inQuery && p.Media == "" && !p.IsList() })
}

// rowParameters are the header parameters of all operations that answer row by row.
func rowParameters() []*object {
	return []*object{
		parameter("header", "Accept", false, "application/json for all items in one object; "+NDJSONType+
			" for a stream with one item a line, sent once known, ending with {\"summary\": {...}}: a stream "+
			"without it was cut off; text/csv for a table.", jsonschema.Schema{Type: "string", Default: JSONType}),
		parameter("query", "order", false, "The order of a stream: as items become known, or as they were sent.",
			jsonschema.Schema{Type: "string", Enum: []string{"known", "input"}, Default: "known"}),
		parameter("query", "delimiter", false, "Cell separator of a table: a comma, a semicolon or a tab. With a "+
			"semicolon the file begins with a byte order mark, for Romanian spreadsheets.",
			jsonschema.Schema{Type: "string", Enum: []string{",", ";", "tab"}, Default: ","}),
		parameter("header", "Idempotency-Key", false,
			"Your own text for each call, such as a UUID: repeating the call with it within 24 hours does not "+
				"charge again for what was paid.", jsonschema.Schema{Type: "string", MaxLength: LongestIdempotencyKey}),
	}
}

// followParameters are the header parameters of all followable operations.
func followParameters() []*object {
	return []*object{
		parameter("header", "Accept", false, "application/json for a page; "+SSEType+" for a live stream of events, "+
			NDJSONType+" for the same with one per line. A stream begins after the cursor in after or "+
			"Last-Event-ID, and ends now and then: continue after the last event.",
			jsonschema.Schema{Type: "string", Default: JSONType}),
		parameter("header", "Last-Event-ID", false,
			"For a stream, instead of after: browsers send it when they reconnect.", jsonschema.Schema{Type: "string"}),
	}
}

// exportParameters returns the parameters that only an operation's export accepts.
func exportParameters(c *components, op *Operation) []*object {
	if op.Export() == nil {
		return nil
	}

	format := jsonschema.Schema{Type: "string", Enum: op.Formats(), Default: FormatJSON}
	own := apiParameters(c, op.Export(), func(p Param) bool {
		return !slices.ContainsFunc(op.Params(), func(known Param) bool { return known.Name == p.Name })
	})
	return append([]*object{parameter("query", "format", false, op.Export().Description, format)}, own...)
}
