package api

import (
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
)

// fileForm is the schema of a form with a file.
var fileForm = jsonschema.Schema{Type: "object", Required: []string{"file"}, Properties: []jsonschema.Property{
	{Name: "file", Schema: jsonschema.Schema{Type: "string", Format: "binary",
		Description: "The file; its type is taken from the part's Content-Type, or from its file extension: .csv, " +
			".xlsx, .ndjson or .json."}},
}}

// uploadParameters are the header parameters of operations that take a file.
func uploadParameters() []*object {
	return []*object{
		parameter("header", "Idempotency-Key", false,
			"Your own text for each upload, such as a UUID: repeating the upload returns the same job.",
			jsonschema.Schema{Type: "string", MaxLength: op.LongestIdempotencyKey}),
		parameter("header", "Prefer", false,
			"wait=10 waits up to 10 seconds for the job to end (RFC 7240); at most 30.",
			jsonschema.Schema{Type: "string"}),
	}
}
