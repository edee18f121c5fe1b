package op

import (
	"github.com/rodata/rodata/op/jsonschema"
)

// Flag is true or false.
type Flag bool

// UnmarshalText parses true or false.
func (f *Flag) UnmarshalText(text []byte) error {
	name, err := OneOf(text, "true", "false")
	*f = name == "true"
	return err
}

// Schema describes the format of a flag.
func (Flag) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "boolean"} }
