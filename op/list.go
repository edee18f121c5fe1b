package op

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// List is a comma-separated list of values in one parameter, without duplicates. A nil List is an absent parameter.
type List[T comparable] []T

// MaxListItems is the maximum number of items of a list.
const MaxListItems = 100

// UnmarshalText parses the items; surrounding space is dropped.
func (l *List[T]) UnmarshalText(text []byte) error {
	items := strings.Split(string(text), ",")
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
		if items[i] == "" && len(items) <= MaxListItems {
			return &problem.InputError{Code: problem.Empty, Accepted: "values separated by single commas",
				Reason: "an item of the list is empty; separate values with single commas"}
		}
	}

	read, err := listOf[T](items)
	*l = read
	return err
}

// listOf parses the items of a list.
func listOf[T comparable](items []string) (read List[T], err error) {
	if len(items) > MaxListItems {
		return nil, &problem.InputError{
			Code: problem.TooMany, Accepted: fmt.Sprintf("at most %d values", MaxListItems),
			Reason: fmt.Sprintf("at most %d values are accepted, %d were sent", MaxListItems, len(items)),
		}
	}

	for _, item := range items {
		var v T
		if err := any(&v).(encoding.TextUnmarshaler).UnmarshalText([]byte(item)); err != nil {
			return nil, ofItem(err, item)
		}
		if !slices.Contains(read, v) {
			read = append(read, v)
		}
	}

	return read, nil
}

// ofItem turns the error of an item into an error of the list.
func ofItem(err error, item string) error {
	found, ok := errors.AsType[*problem.InputError](err)
	if !ok {
		return fmt.Errorf("%q: %w", item, err)
	}

	e := *found
	e.Received = problem.Excerpt(item)
	return &e
}

// Has reports whether the list contains a value.
func (l List[T]) Has(v T) bool { return slices.Contains(l, v) }

// Schema describes the list in its text form.
func (List[T]) Schema() jsonschema.Schema {
	var v T
	item := any(v).(jsonschema.Describer).Schema()
	s := jsonschema.Schema{Type: "string", MinLength: 1}
	if len(item.Enum) > 0 {
		names := strings.Join(item.Enum, "|")
		precise := s
		s.MinLength = 0
		precise.Pattern = "^(" + names + ")( *, *(" + names + "))*$"
		s.Pattern, s.Precise = `^((`+names+`)( *, *\b|$))+$`, &precise // \b: after a comma comes another name
	}

	return s
}

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
