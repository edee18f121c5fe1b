package lists

import (
	"reflect"

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// ProblemSchema describes a problem in every channel.
func ProblemSchema() jsonschema.Schema {
	text := func(description string) jsonschema.Schema {
		return jsonschema.Schema{Type: "string", Description: description}
	}
	whole := func(description string) jsonschema.Schema {
		return jsonschema.Schema{Type: "integer", Description: description}
	}
	texts := func(description string) jsonschema.Schema {
		return jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string"}, Description: description}
	}
	wrong := jsonschema.Of(reflect.TypeFor[problem.InputError]())
	successor, quoted := jsonschema.Of(reflect.TypeFor[reference.Successor]()),
		jsonschema.Of(reflect.TypeFor[rate.LastQuotation]())

	return jsonschema.Schema{
		Name:        "Problem",
		Type:        "object",
		Description: "A problem (RFC 9457).",
		Properties: []jsonschema.Property{
			{Name: "type", Schema: jsonschema.Schema{Type: "string", Format: "uri",
				Description: "URL of a page that explains the problem."}},
			{Name: "title", Schema: text("The kind of problem.")},
			{Name: "status", Schema: whole("HTTP status.")},
			{Name: "detail", Schema: text("The error in this call, and how to fix it.")},
			{Name: "code", Schema: problemCodes()},
			{Name: "errors", Schema: jsonschema.Schema{Type: "array", Items: &wrong,
				Description: "The individual errors in the call."}},
			{Name: "id", Schema: text("Log entry id of an internal error.")},
			{Name: "needed", Schema: whole("With too few credits for a list: its maximum cost.")},
			{Name: "remaining", Schema: whole("With too few credits for a list: credits left.")},
			{Name: "sheets", Schema: texts("For a file whose table was not recognised: the visible sheets of the " +
				"workbook.")},
			{Name: "columns", Schema: texts("For a file whose table was not recognised: its columns, of which column " +
				"and dateColumn choose one.")},
			{Name: "retryAfterSeconds", Schema: whole("For an item of a list: seconds to wait before retrying. " +
				"Other answers have the header Retry-After.")},
			{Name: "oldestCursor", Schema: text("For an expired cursor: the oldest one after which all events are kept.")},
			{Name: "successors", Schema: jsonschema.Schema{Type: "array", Items: &successor,
				Description: "The codes that replace a dropped CAEN Rev.2 code."}},
			{Name: "lastQuoted", Schema: jsonschema.Schema{Type: "array", Items: &quoted,
				Description: "For currencies without a rate in a fixing: when each was last published, if known."}},
		},
		Required: []string{"type", "title", "status", "detail", "code"},
	}
}

func problemCodes() jsonschema.Schema {
	s := jsonschema.Schema{Name: "ProblemCode", Type: "string",
		Description: "The kind of problem, for programs: the last segment of type, which does not depend on the host."}
	for _, k := range problem.Kinds {
		s.Enum = append(s.Enum, k.Slug)
	}
	return s
}
