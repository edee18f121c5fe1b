package main

import (
	"slices"
	"strings"
)

// notation is the syntax of types in a language.
type notation struct {
	// primitives are the names of JSON Schema's types, including null.
	primitives map[string]string
	// object is a JSON object of unknown structure.
	object string
	// or separates alternatives.
	or string
	// list returns the type of a list of elements. literals returns the type of one of several strings.
	list     func(of string) string
	literals func(texts []string) string
}

// expression returns a schema in the syntax of the language.
func (n *notation) expression(s schema) string {
	if name := s.refersTo(); name != "" {
		return name
	}

	var types []string
	for _, alternative := range slices.Concat(s.AnyOf, s.OneOf) {
		types = append(types, n.expression(alternative))
	}

	for _, t := range s.Type {
		types = append(types, n.typeExpression(t, s))
	}
	if len(types) == 0 {
		types = []string{n.object}
	}

	return strings.Join(types, n.or)
}

// typeExpression returns one of the types of a schema in the syntax of the language.
func (n *notation) typeExpression(t string, s schema) string {
	switch {
	case t == "array":
		return n.list(n.expression(*s.Items))
	case t == "object":
		return n.object
	case t == "string" && len(s.Enum) > 0:
		return n.literals(s.texts())
	}

	return n.primitives[t]
}

// texts returns the values of an enumeration, without null.
func (s schema) texts() (texts []string) {
	for _, value := range s.Enum {
		if value != nil {
			texts = append(texts, *value)
		}
	}

	return texts
}

// argument returns the type of a parameter. A parameter for digits also accepts a number, and a parameter for true or
// false also accepts a boolean.
func (n *notation) argument(p parameter) string {
	if p.Schema.isYesOrNo() {
		return n.primitives["boolean"]
	}
	if p.In == "path" && p.Schema.Pattern == `^\d+$` {
		return n.primitives["string"] + n.or + n.primitives["integer"]
	}
	return n.expression(p.Schema)
}

// isYesOrNo reports whether the schema is a string that accepts only true and false.
func (s schema) isYesOrNo() bool { return len(s.Enum) == 2 && s.Enum[0] != nil && *s.Enum[0] == "true" }

// joinQuoted joins texts in quotation marks.
func joinQuoted(texts []string, quote, separator string) string {
	return quote + strings.Join(texts, quote+separator+quote) + quote
}
