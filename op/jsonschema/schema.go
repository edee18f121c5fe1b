// Package jsonschema describes values in JSON Schema: the arguments and answers of operations, for the OpenAPI
// description and for tools. Of derives a schema from a Go type.
package jsonschema

import (
	"encoding/json"
	"slices"

	"github.com/rodata/rodata/internal/jsontext"
)

// Schema is the subset of JSON Schema (2020-12) that the service needs.
type Schema struct {
	Type        string // one type; Nullable adds null, Or another one
	Or          string
	Nullable    bool
	Description string
	// Brief is the description in the outline of an answer.
	Brief      string
	Format     string
	Pattern    string
	Enum       []string
	MinLength  int
	MaxLength  int
	MaxItems   int
	Minimum    *int
	Maximum    *int
	Default    string
	Example    string
	Items      *Schema
	Properties []Property // in display order
	Required   []string
	// Closed disallows additional properties; set for inputs, never for answers.
	Closed bool
	// Name is the schema's component in the OpenAPI description: the name of its Go type. Empty for an inline schema.
	// Tools have no components; all their schemas are inline.
	Name string
	// Precise is the full schema for the OpenAPI description, if this one is shortened for tools; nil if they are the
	// same.
	Precise *Schema

	reference string // name of the component that replaces the schema
	oneOf     bool   // Type and Or become alternatives, as client generators require
}

// Property is a named property of an object.
type Property struct {
	Name   string
	Schema Schema
}

// MarshalJSON encodes the keywords in a fixed order, without empty ones.
func (s Schema) MarshalJSON() ([]byte, error) {
	if s.reference != "" {
		return s.marshalReference()
	}

	var o jsontext.Object
	switch {
	case s.Type == "":
	case s.oneOf:
		o.Add("oneOf", s.alternatives())
	case s.Or != "":
		o.Add("type", []string{s.Type, s.Or})
	case s.Nullable:
		o.Add("type", []string{s.Type, "null"})
	default:
		o.Add("type", s.Type)
	}

	o.AddText("description", s.Description)
	o.AddText("format", s.Format)
	o.AddText("pattern", s.Pattern)
	if len(s.Enum) > 0 {
		o.Add("enum", s.enum())
	}
	if s.MinLength > 0 {
		o.Add("minLength", s.MinLength)
	}
	if s.MaxLength > 0 {
		o.Add("maxLength", s.MaxLength)
	}

	if s.MaxItems > 0 {
		o.Add("maxItems", s.MaxItems)
	}
	if s.Minimum != nil {
		o.Add("minimum", *s.Minimum)
	}
	if s.Maximum != nil {
		o.Add("maximum", *s.Maximum)
	}

	s.addValues(&o)
	if s.Items != nil {
		o.Add("items", s.Items)
	}

	if s.Type == "object" && s.Properties != nil {
		s.addProperties(&o)
	}
	if s.Closed {
		o.Add("additionalProperties", false)
	}

	return o.MarshalJSON()
}

// addValues adds the default and the example, which a Schema has as text.
func (s Schema) addValues(o *jsontext.Object) {
	if s.Type == "integer" && s.Default != "" {
		o.Add("default", json.RawMessage(s.Default))
	} else {
		o.AddText("default", s.Default)
	}

	switch {
	case s.Example == "":
	case s.Type == "array", s.Type == "integer":
		o.Add("examples", []json.RawMessage{json.RawMessage(s.Example)})
	default:
		o.Add("examples", []string{s.Example})
	}
}

// addProperties adds the properties of an object.
func (s Schema) addProperties(o *jsontext.Object) {
	var properties jsontext.Object
	for _, p := range s.Properties {
		properties.Add(p.Name, p.Schema)
	}

	o.Add("properties", &properties)
	if len(s.Required) > 0 {
		o.Add("required", s.Required)
	}
}

// ForTool returns the form of an argument's schema that every host of tools accepts: one type, and no format. A text
// stands for a number or a text, since calls accept both. An array has at most maxItems items.
func (s Schema) ForTool(maxItems int) Schema {
	if s.Or != "" {
		s.Type, s.Or = "string", ""
	}
	if s.Format == "date" {
		s.Format, s.Pattern = "", `^\d{4}-\d{2}-\d{2}$`
		s.Description += " YYYY-MM-DD."
	}

	if s.Type == "array" {
		s.MaxItems = maxItems
		items := s.Items.ForTool(maxItems)
		s.Items = &items
	}

	s.Properties = slices.Clone(s.Properties)
	for i := range s.Properties {
		s.Properties[i].Schema = s.Properties[i].Schema.ForTool(maxItems)
	}

	return s
}

// Outline returns a short form of an answer's schema for tools, because a model reads the definitions of all tools
// before it calls one. It has the names and types of the members and of the members of items; anything deeper is just
// an object. No member is required, and only members with a Brief have a description. The OpenAPI description has the
// complete schema.
func (s Schema) Outline() Schema {
	o := s.outline()
	for _, p := range s.Properties {
		member := p.Schema.outline()
		if p.Name == "items" && p.Schema.Items != nil {
			rows := p.Schema.Items.Outline()
			member.Items = &rows
		}

		o.Properties = append(o.Properties, Property{p.Name, member})
	}

	return o
}

// outline returns the schema's type with its brief description.
func (s Schema) outline() Schema {
	return Schema{Type: s.Type, Or: s.Or, Nullable: s.Nullable, Description: s.Brief}
}

// alternatives returns a schema for each of the types.
func (s Schema) alternatives() []*jsontext.Object {
	types := []*jsontext.Object{jsontext.NewObject("type", s.Type), jsontext.NewObject("type", s.Or)}
	if s.Nullable {
		types = append(types, jsontext.NewObject("type", "null"))
	}
	return types
}

// enum returns the accepted values, including null if the value is nullable.
func (s Schema) enum() []any {
	var values []any
	for _, v := range s.Enum {
		values = append(values, v)
	}

	if s.Nullable {
		values = append(values, nil)
	}

	return values
}

// WithReferences returns the schema for a description with components: the named schema, or each named schema inside
// it, is passed to define and replaced by a reference. In a schema that is passed to define, too, named schemas are
// replaced.
func (s Schema) WithReferences(define func(Schema)) Schema {
	if s.Precise != nil {
		s = s.preciseForm()
	}

	s.oneOf = s.Or != ""
	if s.Items != nil {
		items := s.Items.WithReferences(define)
		s.Items = &items
	}

	if s.Properties != nil {
		properties := make([]Property, len(s.Properties))
		for i, p := range s.Properties {
			properties[i] = Property{p.Name, p.Schema.WithReferences(define)}
		}

		s.Properties = properties
	}

	if s.Name == "" {
		return s
	}

	define(s)
	return Schema{reference: s.Name, Description: s.Description, Nullable: s.Nullable}
}

// preciseForm returns the precise form of the schema, with the description of this use.
func (s Schema) preciseForm() Schema {
	precise := *s.Precise
	precise.Description, precise.Nullable, precise.Default, precise.Example = s.Description, s.Nullable,
		s.Default, s.Example
	return precise
}

// marshalReference encodes a $ref with the description of this use.
func (s Schema) marshalReference() ([]byte, error) {
	var o jsontext.Object
	target := "#/components/schemas/" + s.reference
	if s.Nullable {
		o.Add("anyOf", []*jsontext.Object{jsontext.NewObject("$ref", target), jsontext.NewObject("type", "null")})
	} else {
		o.Add("$ref", target)
	}

	o.AddText("description", s.Description)
	return o.MarshalJSON()
}
