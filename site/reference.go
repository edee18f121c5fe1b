package site

import (
	"cmp"
	"strings"

	"github.com/rodata/rodata/api"
)

// section is the operations of one tag, as the reference shows them.
type section struct {
	Tag        string
	Operations []operation
}

// Anchor is the section's fragment.
func (s section) Anchor() string { return strings.ReplaceAll(strings.ToLower(s.Tag), " ", "-") }

// operation adds what templates need to an operation.
type operation struct {
	*api.Operation
}

// Answer is the body of a success; nil when there is none.
func (o operation) Answer() *field {
	if o.Success == 204 {
		return nil
	}
	return &field{Schema: o.Output()}
}

// Arguments are the operation's parameters.
func (o operation) Arguments() []argument {
	var all []argument
	for _, p := range o.Params() {
		all = append(all, argument{p, o.Operation})
	}
	return all
}

// argument is a parameter of an operation.
type argument struct {
	api.Param
	of *api.Operation
}

// Place is where the parameter is sent: path, query or body.
func (a argument) Place() string {
	switch {
	case a.InPath:
		return "path"
	case a.of.HasBody():
		return "body"
	}
	return "query"
}

// ID names the parameter's input on the page.
func (a argument) ID() string { return a.of.Name + "-" + a.Name }

// JSON reports whether the parameter is written as JSON, and not as a text.
func (a argument) JSON() bool { return a.of.HasBody() && a.Schema.Type != "string" }

// Type is the name of the parameter's type.
func (a argument) Type() string { return typeName(a.Schema) }

// field is a named part of an answer.
type field struct {
	Name   string
	Schema api.Schema
}

// Type is the name of the field's type.
func (f field) Type() string { return typeName(f.Schema) }

// Fields are the fields of an object, or of a list's objects.
func (f field) Fields() []field {
	s := f.Schema
	if s.Items != nil {
		s = *s.Items
	}

	var parts []field
	for _, p := range s.Properties {
		parts = append(parts, field{p.Name, p.Schema})
	}
	return parts
}

func typeName(s api.Schema) string {
	name := cmp.Or(s.Format, s.Type, "any")
	if s.Or != "" {
		name += " or " + s.Or
	}
	if s.Items != nil {
		name = "list of " + typeName(*s.Items)
	}
	if s.Nullable {
		name += " or null"
	}

	return name
}

// newSections groups operations by tag, in the order of first appearance.
func newSections(operations []*api.Operation) []section {
	var all []section
	index := make(map[string]int)
	for _, op := range operations {
		i, known := index[op.Tag]
		if !known {
			i = len(all)
			index[op.Tag], all = i, append(all, section{Tag: op.Tag})
		}
		all[i].Operations = append(all[i].Operations, operation{op})
	}

	return all
}
