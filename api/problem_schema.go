package api

import (
	"reflect"

	"github.com/rodata/rodata/op/problem"
)

// problemSchema describes a problem in every channel.
func problemSchema() Schema {
	text := func(description string) Schema { return Schema{Type: "string", Description: description} }
	whole := func(description string) Schema { return Schema{Type: "integer", Description: description} }
	wrong := SchemaOf(reflect.TypeFor[problem.InputError]())
	successor, quoted := SchemaOf(reflect.TypeFor[Successor]()), SchemaOf(reflect.TypeFor[LastQuotation]())

	return Schema{
		Name:        "Problem",
		Type:        "object",
		Description: "A problem (RFC 9457).",
		Properties: []Property{
			{"type", Schema{Type: "string", Format: "uri",
				Description: "URL of a page that explains the problem."}},
			{"title", text("The kind of problem.")},
			{"status", whole("HTTP status.")},
			{"detail", text("The error in this call, and how to fix it.")},
			{"code", problemCodes()},
			{"errors", Schema{Type: "array", Items: &wrong, Description: "The individual errors in the call."}},
			{"id", text("Log entry id of an internal error.")},
			{"needed", whole("With too few credits for a list: its maximum cost.")},
			{"remaining", whole("With too few credits for a list: credits left.")},
			{"retryAfterSeconds", whole("For an item of a list: seconds to wait before retrying. Other answers have " +
				"the header Retry-After.")},
			{"oldestCursor", text("For an expired cursor: the oldest one after which all events are kept.")},
			{"successors", Schema{Type: "array", Items: &successor,
				Description: "The codes that replace a dropped CAEN Rev.2 code."}},
			{"lastQuoted", Schema{Type: "array", Items: &quoted,
				Description: "For currencies without a rate in a fixing: when each was last published, if known."}},
		},
		Required: []string{"type", "title", "status", "detail", "code"},
	}
}

func problemCodes() Schema {
	s := Schema{Name: "ProblemCode", Type: "string",
		Description: "The kind of problem, for programs: the last segment of type, which does not depend on the host."}
	for _, k := range problem.Kinds {
		s.Enum = append(s.Enum, k.Slug)
	}
	return s
}
