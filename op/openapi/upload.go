package openapi

import (
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
)

// form is the schema of a form with a file.
func (u *Upload) form() jsonschema.Schema {
	return jsonschema.Schema{Type: "object", Required: []string{"file"}, Properties: []jsonschema.Property{
		{Name: "file", Schema: jsonschema.Schema{Type: "string", Format: "binary", Description: u.File}},
	}}
}

// parameters are the header parameters of operations that take a file.
func (u *Upload) parameters() []*object {
	return []*object{
		parameter("header", "Idempotency-Key", false, u.IdempotencyKey,
			jsonschema.Schema{Type: "string", MaxLength: op.LongestIdempotencyKey}),
		parameter("header", "Prefer", false, u.Prefer, jsonschema.Schema{Type: "string"}),
	}
}
