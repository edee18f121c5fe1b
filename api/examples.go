package api

import (
	"embed"
	"encoding/json"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/op"
)

// exampleFiles are answers of the sandbox. Each operation has a file <operation>.json, and files with other extensions
// for its other media types. CONTRIBUTING.md explains how to create one.
//
//go:embed examples
var exampleFiles embed.FS

// Example returns an example of an operation's answer in its default media type. It is nil if the answer has no body,
// or is a file.
func Example(o *op.Operation) []byte {
	if example := exampleOf(o.Name); example != nil {
		return example
	}
	return exampleFile(o.Name, exampleEndings[o.Offers()[0]])
}

// exampleOf returns the example of an operation's answer; nil if the answer has no body, or is a file.
func exampleOf(operation string) json.RawMessage { return exampleFile(operation, "json") }

// exampleFile returns the content of an example's file; nil if there is none.
func exampleFile(operation, ending string) []byte {
	text, _ := exampleFiles.ReadFile("examples/" + operation + "." + ending)
	return text
}

// exampleEndings are the file extensions of examples that are texts.
var exampleEndings = map[string]string{
	"text/csv": "csv", "application/jwt": "jwt", monitoring.AtomType: "atom", op.SSEType: "sse",
	op.NDJSONType: "ndjson",
}

// describedExample returns an operation's example for a media type, as JSON; nil for none.
func describedExample(operation, media string) json.RawMessage {
	if media == op.JSONType {
		return exampleOf(operation)
	}
	if text := exampleFile(operation, exampleEndings[media]); text != nil {
		return jsontext.MustEncode(string(text))
	}
	return nil
}
