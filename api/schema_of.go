package api

import (
	"reflect"
	"strings"
	"time"

	"github.com/rodata/rodata/op/problem"
)

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
	case reflect.TypeFor[problem.InputCode]():
		s := inputCodeSchema()
		s.Name = t.Name()
		return s
	}

	if a, ok := reflect.Zero(t).Interface().(answered); ok {
		return a.AnswerSchema()
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

// described is a type that describes its own format.
type described interface{ Schema() Schema }

// answered is a type whose format in answers is not the one in requests, which Schema describes.
type answered interface{ AnswerSchema() Schema }

// renamed is an object with another name in the OpenAPI description than that of its type, which is unclear outside of
// its package.
type renamed interface{ SchemaName() string }

// componentName returns the name of a type in the OpenAPI description.
func componentName(t reflect.Type) string {
	if n, ok := reflect.Zero(t).Interface().(renamed); ok {
		return n.SchemaName()
	}
	return t.Name()
}
