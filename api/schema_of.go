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

// described is a type that describes its own format.
type described interface{ Schema() Schema }

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
