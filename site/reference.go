package site

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
)

// section is a section of the reference: the operations with one tag.
type section struct {
	Tag        string
	Operations []operation
}

// Anchor is the URL fragment of the section.
func (s section) Anchor() string { return strings.ReplaceAll(strings.ToLower(s.Tag), " ", "-") }

// Name is the section's name in a language.
func (s section) Name(l language) string { return inRomanian().Tags.lookUp(l, s.Tag, s.Tag) }

// operation adds what templates need to an operation.
type operation struct {
	*op.Operation
	companies sampleCompanies
}

// Page is the address of the operation's page.
func (o operation) Page() string { return "/docs/api/" + o.Name }

// Heading is the operation's title in a language.
func (o operation) Heading(l language) string {
	return inRomanian().Operations.lookUp(l, o.Name, o.Title)
}

// Lead is the first sentence of the description.
func (o operation) Lead() string {
	lead, _, _ := strings.Cut(o.Description, ". ")
	return strings.TrimSuffix(lead, ".") + "."
}

// Answer describes the body of a successful answer; nil if it has no body.
func (o operation) Answer() *field {
	if o.Success == http.StatusNoContent {
		return nil
	}
	return &field{Schema: o.Output()}
}

// ExampleText is an answer of the sandbox, indented if it is JSON; empty for an answer without a body and for a file.
func (o operation) ExampleText() string {
	var indented bytes.Buffer
	example := api.Example(o.Operation)
	if json.Indent(&indented, example, "", "  ") != nil {
		return string(example)
	}

	return indented.String()
}

// NeedsKey reports whether samples may send a key.
func (o operation) NeedsKey() bool { return !o.Unmetered }

// Media is the media type of the answer.
func (o operation) Media() string { return o.Offers()[0] }

// Arguments are the operation's parameters.
func (o operation) Arguments() []argument {
	var all []argument
	for _, p := range o.Params() {
		all = append(all, argument{p, o})
	}
	return all
}

// argument is a parameter of an operation.
type argument struct {
	op.Param
	of operation
}

// Place is the part of the request that contains the parameter: path, query or body.
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

// TakesJSON reports whether the parameter is written as JSON, and not as a text.
func (a argument) TakesJSON() bool { return a.of.HasBody() && a.Schema.Type != "string" }

// Type is the name of the parameter's type.
func (a argument) Type() string { return typeName(a.Schema) }

// field is a named part of an answer.
type field struct {
	Name   string
	Path   string // the names from the answer down to the field, separated by dots
	Schema jsonschema.Schema
}

// Indent precedes the field in a list in Markdown.
func (f field) Indent() string { return strings.Repeat("  ", strings.Count(f.Path, ".")) }

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
		path := p.Name
		if f.Path != "" {
			path = f.Path + "." + p.Name
		}

		parts = append(parts, field{p.Name, path, p.Schema})
	}

	return parts
}

func typeName(s jsonschema.Schema) string {
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

// newSections groups operations by tag, in the order of first appearance. It leaves out operations for operators.
func newSections(operations []*op.Operation, companies sampleCompanies) []section {
	var all []section
	index := make(map[string]int)
	for _, o := range operations {
		if o.ForOperators {
			continue
		}

		i, known := index[o.Tag.Name]
		if !known {
			i = len(all)
			index[o.Tag.Name], all = i, append(all, section{Tag: o.Tag.Name})
		}

		all[i].Operations = append(all[i].Operations, operation{o, companies})
	}

	return all
}

//go:embed romanian.json
var romanianJSON []byte

// inRomanian returns the Romanian names of operations and sections. The table of operations has only English names.
var inRomanian = sync.OnceValue(func() (names struct{ Tags, Operations translations }) {
	check(json.Unmarshal(romanianJSON, &names))
	return names
})

// translations are names in Romanian, by key.
type translations map[string]string

// lookUp returns the name of a key in a language, given the English name.
func (t translations) lookUp(l language, key, english string) string {
	if l == romanian {
		return cmp.Or(t[key], english)
	}
	return english
}
