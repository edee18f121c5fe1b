package company

import (
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
)

// Reference is an account's own text about a company.
type Reference string

// UnmarshalText accepts a text of one line.
func (r *Reference) UnmarshalText(text []byte) (err error) {
	*r, err = op.ShownText[Reference](text, 1, longestReference)
	return err
}

// longestReference is the maximum length of a reference in characters.
const longestReference = 100

// Schema describes the format of a reference.
func (Reference) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", MinLength: 1, MaxLength: longestReference}
}
