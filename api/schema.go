package api

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/rodata/rodata/api/problem"
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

// Binary is an answer that consists of bytes: the Document of an Answer has them.
type Binary struct{}

// Schema describes bytes.
func (Binary) Schema() Schema { return Schema{Type: "string", Format: "binary"} }

// Property is a named property of an object.
type Property struct {
	Name   string
	Schema Schema
}

// described is a type that describes its own format.
type described interface{ Schema() Schema }

// MarshalJSON encodes the keywords in a fixed order, without empty ones.
func (s Schema) MarshalJSON() ([]byte, error) {
	if s.reference != "" {
		return s.marshalReference()
	}

	var o object
	switch {
	case s.Type == "":
	case s.oneOf:
		o.add("oneOf", s.alternatives())
	case s.Or != "":
		o.add("type", []string{s.Type, s.Or})
	case s.Nullable:
		o.add("type", []string{s.Type, "null"})
	default:
		o.add("type", s.Type)
	}

	o.addText("description", s.Description)
	o.addText("format", s.Format)
	o.addText("pattern", s.Pattern)
	if len(s.Enum) > 0 {
		o.add("enum", s.enum())
	}
	if s.MinLength > 0 {
		o.add("minLength", s.MinLength)
	}
	if s.MaxLength > 0 {
		o.add("maxLength", s.MaxLength)
	}

	if s.Minimum != nil {
		o.add("minimum", *s.Minimum)
	}
	if s.Maximum != nil {
		o.add("maximum", *s.Maximum)
	}

	switch {
	case s.Type == "integer" && s.Default != "":
		o.add("default", json.RawMessage(s.Default))
	default:
		o.addText("default", s.Default)
	}

	switch {
	case s.Example == "":
	case s.Type == "array", s.Type == "integer": // encoded as JSON
		o.add("examples", []json.RawMessage{json.RawMessage(s.Example)})
	default:
		o.add("examples", []string{s.Example})
	}

	if s.Items != nil {
		o.add("items", s.Items)
	}

	if s.Type == "object" && s.Properties != nil {
		var properties object
		for _, p := range s.Properties {
			properties.add(p.Name, p.Schema)
		}

		o.add("properties", &properties)
		if len(s.Required) > 0 {
			o.add("required", s.Required)
		}
	}

	if s.Closed {
		o.add("additionalProperties", false)
	}

	return o.MarshalJSON()
}

// Outline returns a short form of an answer's schema for tools, because a model reads the definitions of all tools
// before it calls one. It has the names and types of the members and of the members of items; anything deeper is just
// an object. Since tools omit members that are null, nothing is nullable or required. Only members with a Brief have a
// description. The OpenAPI description has the complete schema.
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
	return Schema{Type: s.Type, Or: s.Or, Description: s.Brief}
}

// alternatives returns a schema for each of the types.
func (s Schema) alternatives() []*object {
	types := []*object{members("type", s.Type), members("type", s.Or)}
	if s.Nullable {
		types = append(types, members("type", "null"))
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

// SchemaOf derives the schema of an answer from its Go type: pointers are nullable, fields with omitempty optional, the
// doc tag is the description, the brief tag the Brief, and a Schema method overrides all of this. Objects stay open, so
// that new fields break no client.
func SchemaOf(t reflect.Type) Schema {
	if t.Kind() == reflect.Pointer {
		s := SchemaOf(t.Elem())
		s.Nullable = true
		return s
	}

	switch t {
	case reflect.TypeFor[time.Time]():
		return Schema{Type: "string", Format: "date-time"}
	case reflect.TypeFor[CUI](): // text in a request, a number in an answer
		return Schema{Type: "integer"}
	case reflect.TypeFor[problem.InputCode]():
		s := inputCodeSchema()
		s.Name = t.Name()
		return s
	}

	if d, ok := reflect.Zero(t).Interface().(described); ok {
		s := d.Schema()
		if s.Enum != nil || s.Or != "" {
			s.Name = t.Name()
		}
		return s
	}

	switch t.Kind() {
	case reflect.String:
		return Schema{Type: "string"}
	case reflect.Bool:
		return Schema{Type: "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return Schema{Type: "integer"}
	case reflect.Float64:
		return Schema{Type: "number"}
	case reflect.Slice:
		items := SchemaOf(t.Elem())
		return Schema{Type: "array", Items: &items}
	case reflect.Struct:
		return objectSchema(t)
	}

	panic("api: no JSON Schema for " + t.String())
}

func objectSchema(t reflect.Type) Schema {
	s := Schema{Type: "object", Properties: []Property{}, Name: componentName(t)}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "-" || !f.IsExported() {
			continue
		}

		p := SchemaOf(f.Type)
		p.Description, p.Brief = f.Tag.Get("doc"), f.Tag.Get("brief")
		if f.Tag.Get("nullable") != "" {
			p.Nullable = true
		}

		s.Properties = append(s.Properties, Property{name, p})
		if options == "" {
			s.Required = append(s.Required, name)
		}
	}

	return s
}

// componentName returns the name of a type in the OpenAPI description.
func componentName(t reflect.Type) string {
	if name, renamed := componentNames[t.Name()]; renamed {
		return name
	}
	return t.Name()
}

// componentNames replaces the names of types that are unclear outside of this package.
var componentNames = map[string]string{
	"BatchItem": "CompanyBatchItem", "BatchSummary": "CompanyBatchSummary", "VATItem": "VATBatchItem",
	"StructuredAddress": "Address", "KeyInfo": "Key", "Rate": "FXRate", "Quotation": "FXQuotation",
	"RateHistory": "FXRateHistory", "DayRates": "FXRates",
}

// object is a JSON object that keeps the order of its members.
type object struct {
	bytes.Buffer
}

func (o *object) add(name string, value any) {
	if o.Len() > 0 {
		o.WriteByte(',')
	}

	o.Write(mustEncode(name))
	o.WriteByte(':')
	o.Write(mustEncode(value))
}

func (o *object) addText(name, value string) {
	if value != "" {
		o.add(name, value)
	}
}

// MarshalJSON encodes the members in insertion order.
func (o *object) MarshalJSON() ([]byte, error) {
	return []byte("{" + o.String() + "}"), nil
}
