package op

import (
	"encoding/json"
	"slices"

	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// Array is a list of values in a body: a JSON array of texts. A nil Array is an absent parameter.
type Array[T comparable] []T

// UnmarshalText parses a JSON array.
func (a *Array[T]) UnmarshalText(text []byte) error {
	var items []string
	if json.Unmarshal(text, &items) != nil {
		return &problem.InputError{Code: problem.InvalidType, Accepted: "a list of strings",
			Reason: "it contains a value that is not a string; send a list of strings"}
	}

	read, err := listOf[T](items)
	*a = Array[T](read)
	return err
}

// Has reports whether the array contains a value.
func (a Array[T]) Has(v T) bool { return slices.Contains(a, v) }

// Schema describes the array.
func (Array[T]) Schema() jsonschema.Schema {
	var v T
	item := any(v).(jsonschema.Describer).Schema()
	return jsonschema.Schema{Type: "array", Items: &item}
}
