package op

import (
	"fmt"
	"strconv"

	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// Limit is the maximum number of items on a page: 1 to 100. Each search has a different default.
type Limit int

// UnmarshalText parses 1 to 100, without sign or leading zeros.
func (l *Limit) UnmarshalText(text []byte) (err error) {
	*l, err = WholeNumber[Limit](text, 1, 100)
	return err
}

// Schema describes the format of a limit.
func (Limit) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: "^(100|[1-9][0-9]?)$",
		Precise: &jsonschema.Schema{Type: "integer", Minimum: new(1), Maximum: new(100)}}
}

// Offset is the number of items to skip: 0 to 999999. The default is 0.
type Offset int

// UnmarshalText parses 0 to 999999, without sign or leading zeros.
func (o *Offset) UnmarshalText(text []byte) (err error) {
	*o, err = WholeNumber[Offset](text, 0, 999_999)
	return err
}

// Schema describes the format of an offset.
func (Offset) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: "^(0|[1-9][0-9]{0,5})$",
		Precise: &jsonschema.Schema{Type: "integer", Minimum: new(0), Maximum: new(999_999)}}
}

// WholeNumber parses a number from least to most, without sign or leading zeros.
func WholeNumber[T ~int](text []byte, least, most int) (T, error) {
	n, ok := Count(text, len(strconv.Itoa(most)))
	if !ok || n < least || n > most {
		return 0, &problem.InputError{Code: problem.OutOfRange,
			Accepted: fmt.Sprintf("a whole number from %d to %d", least, most)}
	}
	return T(n), nil
}

// Count parses a whole number with a limited number of digits and no leading zeros.
func Count(text []byte, digits int) (int, bool) {
	if len(text) == 0 || len(text) > digits || len(text) > 1 && text[0] == '0' {
		return 0, false
	}

	n, err := strconv.ParseUint(string(text), 10, 31) // accepts no sign
	return int(n), err == nil
}
