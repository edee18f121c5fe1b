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

// textExample returns an operation's example for a textual media type, as JSON; nil for none.
func textExample(o *op.Operation, media string) json.RawMessage {
	if text := exampleFile(o.Name, exampleEndings[media]); text != nil {
		return jsontext.MustEncode(string(text))
	}
	return nil
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
