package api

import (
	"encoding"
	"errors"
	"fmt"
	"strings"

	"github.com/rodata/rodata/api/problem"
)

// List is a comma-separated list of values in one parameter. A nil List is an
// absent parameter. Values that are given twice are kept once.
type List[T comparable] []T

// maxListItems bounds what one parameter can ask for.
const maxListItems = 100

// UnmarshalText reads the items, each by its own rule; space around an item
// does not matter.
func (l *List[T]) UnmarshalText(text []byte) error {
	items := strings.Split(string(text), ",")
	if len(items) > maxListItems {
		return &problem.InputError{
			Code: problem.TooMany, Accepted: fmt.Sprintf("at most %d values", maxListItems),
			Reason: fmt.Sprintf("at most %d values are accepted, %d were sent", maxListItems, len(items)),
		}
	}
	read := make(List[T], 0, len(items))
	seen := make(map[T]bool, len(items))
	for _, item := range items {
		item = strings.TrimSpace(item)
		if item == "" {
			return &problem.InputError{Code: problem.Empty, Accepted: "values separated by single commas", Reason: "an item of the list is empty; separate values with single commas"}
		}
		var v T
		if err := any(&v).(encoding.TextUnmarshaler).UnmarshalText([]byte(item)); err != nil {
			return ofItem(err, item)
		}
		if !seen[v] {
			seen[v] = true
			read = append(read, v)
		}
	}
	*l = read
	return nil
}

// ofItem says of a list what is wrong with one of its items.
func ofItem(err error, item string) error {
	found := (*problem.InputError)(nil)
	if !errors.As(err, &found) {
		return fmt.Errorf("%q: %w", item, err)
	}
	e := *found
	e.Received = problem.Shown(item)
	return &e
}

// Has reports whether the list holds a value.
func (l List[T]) Has(v T) bool {
	for _, item := range l {
		if item == v {
			return true
		}
	}
	return false
}

// Schema describes the list as the text that it is on the wire.
func (List[T]) Schema() Schema {
	var v T
	item := any(v).(interface{ Schema() Schema }).Schema()
	s := Schema{Type: "string", MinLength: 1}
	if len(item.Enum) > 0 {
		names := strings.Join(item.Enum, "|")
		s.Pattern = "^(" + names + ")( *, *(" + names + "))*$"
	}
	return s
}
