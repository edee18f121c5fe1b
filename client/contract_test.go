package client

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
)

// schema is a schema in the gateway's description.
type schema struct {
	Ref        string             `json:"$ref"`
	Type       json.RawMessage    `json:"type"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Items      *schema            `json:"items"`
	AllOf      []*schema          `json:"allOf"`
	AnyOf      []*schema          `json:"anyOf"`
	OneOf      []*schema          `json:"oneOf"`
}

// description is the gateway's description, with the parts that this package's types depend on.
type description struct {
	Paths map[string]map[string]struct {
		Responses map[string]struct {
			Content map[string]struct{ Schema *schema }
		}
	}
	Components struct{ Schemas map[string]*schema }
}

// resolved resolves references, and merges combined schemas.
func (d *description) resolved(t *testing.T, s *schema) *schema {
	t.Helper()
	if name, found := strings.CutPrefix(s.Ref, "#/components/schemas/"); found {
		if d.Components.Schemas[name] == nil {
			t.Fatalf("there is no schema %s", name)
		}
		return d.resolved(t, d.Components.Schemas[name])
	}

	joined := *s
	joined.Properties = maps.Clone(s.Properties)
	for _, part := range slices.Concat(s.AllOf, s.AnyOf, s.OneOf) {
		other := d.resolved(t, part)
		if joined.Properties == nil {
			joined.Properties = make(map[string]*schema)
		}

		maps.Copy(joined.Properties, other.Properties)
		if joined.Items == nil {
			joined.Items = other.Items
		}
	}

	return &joined
}

func (s *schema) nullable() bool {
	if strings.Contains(string(s.Type), `"null"`) {
		return true
	}
	return slices.ContainsFunc(slices.Concat(s.AnyOf, s.OneOf), (*schema).nullable)
}

// answers are the types of this package, by the operations that return them.
var answers = map[string]any{
	"get /v1/companies/{cui}":            Company{},
	"get /v1/companies":                  CompanyPage{},
	"get /v1/companies/{cui}/status":     CompanyStatus{},
	"get /v1/companies/{cui}/verdict":    Verdict{},
	"get /v1/companies/{cui}/statements": StatementState{},
	"get /v1/companies/{cui}/peers":      Peers{},
	"get /v1/fx-rates":                   DayRates{},
	"get /v1/fx-rates/history":           RateHistory{},
	"get /v1/fx-rates/convert":           Conversion{},
	"get /v1/caen-codes":                 CAENPage{},
	"get /v1/caen-codes/{code}":          CAENDetails{},
	"get /v1/counties":                   CountyPage{},
	"get /v1/vat-numbers/{id}":           VATCheck{},
	"get /v1/usage":                      Usage{},
	"get /v1/watchlists":                 []Watchlist{},
	"get /v1/watchlists/{id}/companies":  WatchedPage{},
	"get /v1/events":                     EventPage{},
	"get /v1/jobs":                       []Job{},
	"get /v1/jobs/{id}":                  Job{},
}

// ours are members that are not in the description: messages to webhooks, and items of lists.
var ours = []string{"changesOmitted", "retryAfterSeconds"}

// The types have exactly the members in the gateway's description, and are nullable where it is.
func TestTypesAreTheContract(t *testing.T) {
	text, err := os.ReadFile("../api/testdata/openapi.json")
	testkit.NoError(t, err)

	var d description
	testkit.NoError(t, json.Unmarshal(text, &d))

	for operation, value := range answers {
		method, path, _ := strings.Cut(operation, " ")
		s := d.Paths[path][method].Responses["200"].Content[jsonType].Schema
		if s == nil {
			t.Errorf("%s is not described", operation)
			continue
		}

		d.compare(t, operation, reflect.TypeOf(value), s)
	}

	d.compare(t, "Problem", reflect.TypeFor[Problem](), &schema{Ref: "#/components/schemas/Problem"})
	for path, item := range map[string]reflect.Type{
		"/v1/companies/batch": reflect.TypeFor[BatchItem](), "/v1/vat-numbers/batch": reflect.TypeFor[VATItem](),
	} {
		line := d.resolved(t, d.Paths[path]["post"].Responses["200"].Content[ndjsonType].Schema)
		own := members(item)
		for name := range line.Properties {
			if name != "summary" && own[name] == nil {
				t.Errorf("%s lacks %s", item, name)
			}
		}

		if len(line.Properties) < len(own) {
			t.Errorf("%s has %d members, and the gateway sends %d", item, len(own), len(line.Properties))
		}
	}
}

// compare compares a type with a schema, recursively.
func (d *description) compare(t *testing.T, where string, typ reflect.Type, s *schema) {
	t.Helper()
	nullable := s.nullable()
	s = d.resolved(t, s)
	nullable = nullable || s.nullable()
	canBeNull := typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Interface
	if nullable && !canBeNull {
		t.Errorf("%s can be null, and %s cannot be nil", where, typ)
	}

	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}

	switch {
	case s.Properties == nil && typ == reflect.TypeFor[Problem](): // a job's, which has the members of all
	case typ.Kind() == reflect.Slice:
		if s.Items == nil {
			t.Errorf("%s is not a list", where)
			return
		}

		d.compare(t, where+"[]", typ.Elem(), s.Items)
	case typ.Kind() == reflect.Struct && typ != reflect.TypeFor[Date]() && typ != reflect.TypeFor[time.Time]():
		own := members(typ)
		for name, property := range s.Properties {
			if own[name] == nil {
				t.Errorf("%s: %s lacks %s", where, typ, name)
				continue
			}

			d.compare(t, where+"."+name, own[name], property)
		}

		for name := range own {
			if s.Properties[name] == nil && !slices.Contains(ours, name) {
				t.Errorf("%s: %s has %s, which the gateway does not send", where, typ, name)
			}
		}
	}
}

// members are the types of a struct's JSON members.
func members(typ reflect.Type) map[string]reflect.Type {
	all := make(map[string]reflect.Type)
	for _, field := range reflect.VisibleFields(typ) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous || name == "" || name == "-" {
			continue
		}

		all[name] = field.Type
	}

	return all
}
