package api

import (
	"strconv"

	"github.com/rodata/rodata/api/problem"
)

// Limit is the maximum number of items on a page: 1 to 100. Each search has a different default.
type Limit int

// UnmarshalText parses 1 to 100, without sign or leading zeros.
func (l *Limit) UnmarshalText(text []byte) error {
	n, ok := count(text, 3)
	if !ok || n < 1 || n > 100 {
		return &problem.InputError{Code: problem.OutOfRange, Accepted: "a whole number from 1 to 100"}
	}

	*l = Limit(n)
	return nil
}

// Schema describes the format of a limit.
func (Limit) Schema() Schema {
	return Schema{Type: "string", Pattern: "^(100|[1-9][0-9]?)$",
		Precise: &Schema{Type: "integer", Minimum: new(1), Maximum: new(100)}}
}

// Offset is the number of items to skip: 0 to 999999. The default is 0.
type Offset int

// UnmarshalText parses 0 to 999999, without sign or leading zeros.
func (o *Offset) UnmarshalText(text []byte) error {
	n, ok := count(text, 6)
	if !ok {
		return &problem.InputError{Code: problem.OutOfRange, Accepted: "a whole number from 0 to 999999"}
	}

	*o = Offset(n)
	return nil
}

// Schema describes the format of an offset.
func (Offset) Schema() Schema {
	return Schema{Type: "string", Pattern: "^(0|[1-9][0-9]{0,5})$",
		Precise: &Schema{Type: "integer", Minimum: new(0), Maximum: new(999_999)}}
}

// count parses a whole number with a limited number of digits and no leading zeros.
func count(text []byte, digits int) (int, bool) {
	if len(text) == 0 || len(text) > digits || len(text) > 1 && text[0] == '0' {
		return 0, false
	}

	for _, b := range text {
		if b < '0' || b > '9' {
			return 0, false
		}
	}

	n, err := strconv.Atoi(string(text))
	return n, err == nil
}
