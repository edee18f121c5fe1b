package lists

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rodata/rodata/op/problem"
)

// Read parses a non-empty JSON array. The errors of read are input errors.
func Read[T any](text []byte, of string, read func(element json.RawMessage) (T, error)) ([]T, error) {
	accepted := "a list of " + of
	var elements []json.RawMessage
	if err := json.Unmarshal(text, &elements); err != nil {
		return nil, &problem.InputError{Code: problem.InvalidType, Accepted: accepted,
			Reason: "it is not a list; send " + accepted}
	}
	if len(elements) == 0 {
		return nil, &problem.InputError{Code: problem.Empty, Accepted: accepted,
			Reason: "it is empty; send " + accepted}
	}

	values := make([]T, len(elements))
	for i, element := range elements {
		value, err := read(element)
		if err != nil {
			return nil, atElement(i, err.(*problem.InputError))
		}

		values[i] = value
	}

	return values, nil
}

// atElement adds the position of an element to its error.
func atElement(at int, wrong *problem.InputError) error {
	sentence := ": " + wrong.Error()
	if rest, ok := strings.CutPrefix(wrong.Error(), "it "); ok {
		sentence = " " + rest
	}
	return &problem.InputError{Code: wrong.Code, Accepted: wrong.Accepted,
		Reason: fmt.Sprintf("element %d (from 0)%s", at, sentence)}
}

// Invalid is the problem of an item with an invalid value.
func Invalid(name, value string, err error) *problem.Problem {
	wrong := *err.(*problem.InputError)
	wrong.Parameter, wrong.Received = name, problem.Excerpt(value)
	return problem.Invalid(&wrong)
}
