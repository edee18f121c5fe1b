package api

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/rodata/rodata/api/problem"
	"github.com/rodata/rodata/internal/spelling"
)

// Field is the path of a field of a profile: names, with dots between them.
type Field string

// fieldNames are the paths of all fields of a profile, in its order.
var fieldNames = pathsOf("", SchemaOf(reflect.TypeFor[Company]()))

// summaryFields are the fields of a profile's summary, as columns: the day is the item's own.
var summaryFields = slices.DeleteFunc(pathsOf("", SchemaOf(reflect.TypeFor[CompanySummary]())), func(name string) bool { return name == "statusDate" })

// pathsOf are the paths of an object's fields, and of those of objects and arrays in it.
func pathsOf(prefix string, s Schema) (paths []string) {
	for _, p := range s.Properties {
		paths = append(paths, prefix+p.Name)
		inner := p.Schema
		if inner.Items != nil {
			inner = *inner.Items
		}
		paths = append(paths, pathsOf(prefix+p.Name+".", inner)...)
	}
	return paths
}

// UnmarshalText reads the path of a field that a profile has.
func (f *Field) UnmarshalText(text []byte) error {
	name := string(text)
	if !slices.Contains(fieldNames, name) {
		return &problem.InputError{Code: problem.NotOneOf, Accepted: "fields of a company's profile, as taxId, vatPayer or seat.city", Suggestion: spelling.Nearest(name, fieldNames)}
	}
	*f = Field(name)
	return nil
}

// Schema describes a path.
func (Field) Schema() Schema { return Schema{Type: "string"} }

// leaves is how many values fields hold that are neither objects nor lists.
func leaves(fields []Field) (n int) {
	for _, f := range fields {
		inside := 0
		for _, name := range fieldNames {
			if strings.HasPrefix(name, string(f)+".") {
				inside++
			}
		}
		n += max(1, inside)
	}
	return n
}

// objectReader reads fields out of a JSON object, each part of which it decodes once.
type objectReader struct {
	text    json.RawMessage
	members map[string]json.RawMessage
	parts   map[string]*objectReader
}

func newObjectReader(text json.RawMessage) *objectReader {
	o := &objectReader{text: text, parts: make(map[string]*objectReader)}
	_ = json.Unmarshal(text, &o.members) // of null and the like there are none
	return o
}

// at is the value of a field; that of a field inside an array is an array. It is nil when an
// object on the way is null.
func (o *objectReader) at(path string) json.RawMessage {
	name, rest, deeper := strings.Cut(path, ".")
	value := o.members[name]
	if !deeper || len(value) == 0 {
		return value
	}
	if value[0] == '[' {
		return eachAt(value, rest)
	}

	part := o.parts[name]
	if part == nil {
		part = newObjectReader(value)
		o.parts[name] = part
	}
	return part.at(rest)
}

func eachAt(array json.RawMessage, path string) json.RawMessage {
	var elements []json.RawMessage
	_ = json.Unmarshal(array, &elements) // the service encoded it
	for i, element := range elements {
		if elements[i] = newObjectReader(element).at(path); elements[i] == nil {
			elements[i] = json.RawMessage("null")
		}
	}
	return mustEncode(elements)
}

// selection is a tree of fields.
type selection struct {
	name string
	of   []selection // of the object or of the array's elements; none for all of it
}

// selectionOf is the tree of a list of fields, in its order.
func selectionOf(fields []Field) (tree []selection) {
	for _, f := range fields {
		tree = grow(tree, strings.Split(string(f), "."))
	}
	return tree
}

// grow adds a path to a tree. A field that is wanted whole stays whole.
func grow(tree []selection, path []string) []selection {
	i := slices.IndexFunc(tree, func(s selection) bool { return s.name == path[0] })
	switch {
	case i < 0 && len(path) == 1:
		return append(tree, selection{name: path[0]})
	case i < 0:
		return append(tree, selection{path[0], grow(nil, path[1:])})
	case len(path) == 1:
		tree[i].of = nil
	case tree[i].of != nil:
		tree[i].of = grow(tree[i].of, path[1:])
	}
	return tree
}

// appendSelected appends what a tree selects of a JSON value.
func appendSelected(b []byte, tree []selection, value json.RawMessage) []byte {
	value = bytes.TrimSpace(value)
	switch {
	case len(tree) == 0 || len(value) == 0 || value[0] != '{' && value[0] != '[':
		return append(b, value...)
	case value[0] == '[':
		var elements []json.RawMessage
		_ = json.Unmarshal(value, &elements) // the service encoded it
		b = append(b, '[')
		for i, element := range elements {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendSelected(b, tree, element)
		}
		return append(b, ']')
	}

	var members map[string]json.RawMessage
	_ = json.Unmarshal(value, &members)
	b = append(b, '{')
	comma := false
	for _, s := range tree {
		member, ok := members[s.name]
		if !ok { // a part that was not asked for
			continue
		}
		if comma {
			b = append(b, ',')
		}
		comma = true
		b = append(appendQuoted(b, s.name), ':')
		b = appendSelected(b, s.of, member)
	}
	return append(b, '}')
}

// FieldSchema returns the schema of a field; the zero Schema for one inside an array.
func FieldSchema(f Field) Schema {
	s := SchemaOf(reflect.TypeFor[Company]())
	for name := range strings.SplitSeq(string(f), ".") {
		i := slices.IndexFunc(s.Properties, func(p Property) bool { return p.Name == name })
		if i < 0 {
			return Schema{}
		}
		s = s.Properties[i].Schema
	}
	return s
}
