package op

import (
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// Delimiter separates the cells of a CSV table.
type Delimiter rune

// UnmarshalText parses a comma, a semicolon or a tab.
func (d *Delimiter) UnmarshalText(text []byte) error {
	switch string(text) {
	case ",", ";":
		*d = Delimiter(text[0])
	case "tab":
		*d = '\t'
	default:
		return &problem.InputError{Code: problem.NotOneOf, Accepted: "a comma, a semicolon (%3B) or tab"}
	}

	return nil
}

// Schema lists the delimiters.
func (Delimiter) Schema() jsonschema.Schema { return jsonschema.Enum(",", ";", "tab") }
