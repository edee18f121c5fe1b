package jsonschema

import (
	"reflect"
	"strings"
	"time"
)

// Of derives the schema of an answer from its Go type: pointers are nullable, fields with omitempty optional, the
// doc tag is the description, the brief tag the Brief, and a Schema method overrides all of this. Objects stay open, so
// that new fields break no client.
func Of(t reflect.Type) Schema {
	if t.Kind() == reflect.Pointer {
		s := Of(t.Elem())
		s.Nullable = true
		return s
	}

	if t == reflect.TypeFor[time.Time]() {
		return Schema{Type: "string", Format: "date-time"}
	}

	if a, ok := reflect.Zero(t).Interface().(AnswerDescriber); ok {
		return a.AnswerSchema()
	}
	if d, ok := reflect.Zero(t).Interface().(Describer); ok {
		s := d.Schema()
		if s.Enum != nil || s.Or != "" {
			s.Name = componentName(t)
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
		items := Of(t.Elem())
		return Schema{Type: "array", Items: &items}
	case reflect.Struct:
		return objectSchema(t)
	}

	panic("jsonschema: no JSON Schema for " + t.String())
}

func objectSchema(t reflect.Type) Schema {
	s := Schema{Type: "object", Properties: []Property{}, Name: componentName(t)}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "-" || !f.IsExported() {
			continue
		}

		p := Of(f.Type)
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

// Enum describes a text that is one of a fixed set of values.
func Enum[T ~string](values ...T) Schema {
	s := Schema{Type: "string"}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}

// Describer is a type that describes its own format.
type Describer interface{ Schema() Schema }

// AnswerDescriber is a type whose format in answers differs from that in requests, which Schema describes.
type AnswerDescriber interface{ AnswerSchema() Schema }

// Namer is a type whose name in the OpenAPI description differs from its name in Go, which would be unclear outside
// of its package.
type Namer interface{ SchemaName() string }

// componentName returns the name of a type in the OpenAPI description.
func componentName(t reflect.Type) string {
	if n, ok := reflect.Zero(t).Interface().(Namer); ok {
		return n.SchemaName()
	}
	return t.Name()
}
