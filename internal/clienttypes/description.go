package main

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"

	"github.com/rodata/rodata/internal/jsontext"
)

// description is the part of an OpenAPI description used for clients.
type description struct {
	Paths      orderedObject[orderedObject[operation]]
	Components struct{ Schemas orderedObject[schema] }
}

// schema is a JSON Schema with the keywords that the description uses.
type schema struct {
	Ref         string `json:"$ref"`
	Type        oneOrMore
	AnyOf       []schema
	OneOf       []schema
	Items       *schema
	Properties  orderedObject[schema]
	Required    oneOrMore
	Enum        []*string // nil for null
	Pattern     string
	Format      string
	Description string
}

// operation is a route of the description.
type operation struct {
	ID          string `json:"operationId"`
	Summary     string
	Parameters  []parameter
	RequestBody *struct {
		Required bool
		Content  map[string]media
	}
	Responses orderedObject[struct{ Content orderedObject[media] }]
}

type parameter struct {
	Name, In, Description string
	Required              bool
	Schema                schema
}

type media struct{ Schema schema }

func read(file string) (*description, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}

	d := new(description)
	return d, json.Unmarshal(text, d)
}

// refersTo returns the name of the referenced component; empty for none.
func (s schema) refersTo() string {
	_, name, _ := strings.Cut(s.Ref, "#/components/schemas/")
	return name
}

// Requires reports whether a property of an object is always present.
func (s schema) Requires(property string) bool { return slices.Contains(s.Required, property) }

// HasPythonWord reports whether a property of an object has the name of a Python keyword.
func (s schema) HasPythonWord() bool {
	return slices.ContainsFunc(s.Properties, func(p member[schema]) bool { return isPythonWord(p.Name) })
}

// oneOrMore is a text, or a list of them.
type oneOrMore []string

// UnmarshalJSON reads either form.
func (o *oneOrMore) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte("[")) {
		return json.Unmarshal(text, (*[]string)(o))
	}

	*o = oneOrMore{""}
	return json.Unmarshal(text, &(*o)[0])
}

// orderedObject is a JSON object that keeps the order of its members.
type orderedObject[T any] []member[T]

type member[T any] struct {
	Name  string
	Value T
}

// UnmarshalJSON reads the members in order.
func (o *orderedObject[T]) UnmarshalJSON(text []byte) error {
	for name, value := range jsontext.Members(text) {
		m := member[T]{Name: jsontext.Unescape(name)}
		if err := json.Unmarshal(value, &m.Value); err != nil {
			return err
		}

		*o = append(*o, m)
	}

	return nil
}
