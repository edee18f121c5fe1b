package api

import (
	"embed"
	"encoding/json"
	"path"
)

// exampleFiles are answers of the sandbox: one for each operation, as <operation>.json, and for further media types with
// another ending. CONTRIBUTING.md says how to make one.
//
//go:embed examples
var exampleFiles embed.FS

// exampleOf returns the example of an operation's answer; nil if the answer has no body, or is a file.
func exampleOf(operation string) json.RawMessage {
	text, err := exampleFiles.ReadFile(path.Join("examples", operation+".json"))
	if err != nil {
		return nil
	}
	return text
}

// exampleEndings are the endings of examples that are texts.
var exampleEndings = map[string]string{
	"text/csv": "csv", "application/jwt": "jwt", AtomType: "atom", SSEType: "sse", NDJSONType: "ndjson",
}

// textExample returns an operation's example for a media type whose answers are texts, as JSON; nil for none.
func textExample(op *Operation, media string) json.RawMessage {
	ending := exampleEndings[media]
	text, err := exampleFiles.ReadFile(path.Join("examples", op.Name+"."+ending))
	if ending == "" || err != nil {
		return nil
	}
	return mustEncode(string(text))
}

// firstItem returns the first of the items of an example; nil without an example.
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
		media.add("example", example)
	}
	return media
}
