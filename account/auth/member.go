package auth

import (
	"maps"
	"slices"
	"strings"
)

// members are the accepted members of a request body, by name.
type members map[string]member

func (m members) names() string { return strings.Join(sortedKeys(m), ", ") }

// member sets the variable for one member of a body.
type member struct {
	required bool
	set      func(value any) (expected string) // empty when the value is accepted
}

func text(field *string) member {
	m := optionalText(field)
	m.required = true
	return m
}

func optionalText(field *string) member {
	return member{set: func(value any) string {
		s, ok := value.(string)
		if !ok {
			return "string"
		}

		*field = s
		return ""
	}}
}

// nullable returns a member for an optional text that may be null. Null sets the empty text; a missing member leaves
// the field nil.
func nullable(field **string) member {
	return member{set: func(value any) string {
		s, ok := value.(string)
		if !ok && value != nil {
			return "string"
		}

		*field = &s
		return ""
	}}
}

// boolean returns a member for an optional boolean, which forms send as a text.
func boolean(field *bool) member {
	return member{set: func(value any) string {
		switch value {
		case true, "true":
			*field = true
		case false, "false":
			*field = false
		default:
			return "boolean"
		}

		return ""
	}}
}

// sortedKeys returns the keys of a map in order, so that of several errors the same one is reported each time.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
