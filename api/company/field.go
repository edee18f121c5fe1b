package company

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// Field is the path of a field of a profile: names, with dots between them.
type Field string

var companySchema = jsonschema.Of(reflect.TypeFor[Company]())

// fieldNames are the paths of all fields of a profile, in order.
var fieldNames = pathsOf("", companySchema)

// SummaryFields are the fields of a profile's summary, as columns; the day comes from the item, and a profile has the
// figures of each year elsewhere.
var SummaryFields = slices.DeleteFunc(pathsOf("", jsonschema.Of(reflect.TypeFor[Summary]())),
	func(name string) bool { return name == "statusDate" || slices.Contains(figureColumns[:], name) })

// pathsOf returns the paths of an object's fields, including nested ones.
func pathsOf(prefix string, s jsonschema.Schema) (paths []string) {
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

// UnmarshalText parses the path of a field in a profile.
func (f *Field) UnmarshalText(text []byte) error {
	name := string(text)
	if !slices.Contains(fieldNames, name) {
		return &problem.InputError{Code: problem.NotOneOf,
			Accepted:   "fields of a company's profile, such as taxId, vatPayer or seat.city",
			Suggestion: spelling.Nearest(name, fieldNames)}
	}

	*f = Field(name)
	return nil
}

// Schema describes a path.
func (Field) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "string"} }

// leaves returns the number of values in fields that are neither objects nor lists.
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

// objectReader reads fields of a JSON object, splitting each part once.
type objectReader struct{ members []objectMember }

type objectMember struct {
	name  []byte
	value json.RawMessage
	part  *objectReader // the reader of an object's members, once one was read
}

func newObjectReader(text json.RawMessage) *objectReader {
	o := new(objectReader)
	o.reset(text)
	return o
}

// reset makes it read another object.
func (o *objectReader) reset(text json.RawMessage) {
	o.members = o.members[:0]
	for name, value := range jsontext.Members(text) {
		o.members = append(o.members, objectMember{name: name, value: value})
	}
}

// at returns the value of a field; for a field inside an array, an array of the values. It is nil if an object on the
// path is null.
func (o *objectReader) at(path string) json.RawMessage {
	name, rest, deeper := strings.Cut(path, ".")
	i := slices.IndexFunc(o.members, func(m objectMember) bool { return string(m.name) == name })
	if i < 0 {
		return nil
	}

	m := &o.members[i]
	if !deeper {
		return m.value
	}
	if m.value[0] == '[' {
		return valuesAt(m.value, rest)
	}
	if m.part == nil {
		m.part = newObjectReader(m.value)
	}

	return m.part.at(rest)
}

func valuesAt(array json.RawMessage, path string) json.RawMessage {
	values := []json.RawMessage{}
	for element := range jsontext.Elements(array) {
		value := newObjectReader(element).at(path)
		if value == nil {
			value = json.RawMessage("null")
		}

		values = append(values, value)
	}

	return jsontext.MustEncode(values)
}

// selection is a tree of fields.
type selection struct {
	name  string
	inner []selection // of the object or of the array's elements; empty for all of it
}

// selectionOf builds the tree of a list of fields, in its order.
func selectionOf(fields []Field) (tree []selection) {
	for _, f := range fields {
		tree = addPath(tree, strings.Split(string(f), "."))
	}
	return tree
}

// addPath adds a path to a tree. A field that is selected as a whole stays so.
func addPath(tree []selection, path []string) []selection {
	i := slices.IndexFunc(tree, func(s selection) bool { return s.name == path[0] })
	switch {
	case i < 0 && len(path) == 1:
		return append(tree, selection{name: path[0]})
	case i < 0:
		return append(tree, selection{path[0], addPath(nil, path[1:])})
	case len(path) == 1:
		tree[i].inner = nil
	case tree[i].inner != nil:
		tree[i].inner = addPath(tree[i].inner, path[1:])
	}

	return tree
}

// appendSelected appends the parts of a JSON value that a tree selects.
func appendSelected(b []byte, tree []selection, value json.RawMessage) []byte {
	value = bytes.TrimSpace(value)
	switch {
	case len(tree) == 0 || len(value) == 0:
	case value[0] == '{':
		return appendMembers(b, tree, value)
	case value[0] == '[':
		b = append(b, '[')
		comma := false
		for element := range jsontext.Elements(value) {
			if comma {
				b = append(b, ',')
			}

			comma = true
			b = appendSelected(b, tree, element)
		}

		return append(b, ']')
	}

	return append(b, value...)
}

// appendMembers appends the members of an object that a tree selects, in the order of the tree.
func appendMembers(b []byte, tree []selection, object json.RawMessage) []byte {
	var few [24]json.RawMessage // enough for most trees without an allocation
	values := append(few[:0], make([]json.RawMessage, len(tree))...)
	size := len("{}")
	for name, value := range jsontext.Members(object) {
		if i := slices.IndexFunc(tree, func(s selection) bool { return s.name == string(name) }); i >= 0 {
			values[i] = value
			size += len(name) + len(value) + len(`"":,`)
		}
	}

	b = append(slices.Grow(b, size), '{')
	comma := false
	for i, s := range tree {
		if values[i] == nil { // a part that was not requested
			continue
		}
		if comma {
			b = append(b, ',')
		}

		comma = true
		b = append(append(append(b, '"'), s.name...), `":`...)
		b = appendSelected(b, s.inner, values[i])
	}

	return append(b, '}')
}

// FieldKind returns the kind of a field's column in a table, which is the type that the field has in JSON. Codes and
// values inside arrays are texts.
func FieldKind(f Field) table.Kind {
	s := companySchema
	for name := range strings.SplitSeq(string(f), ".") {
		i := slices.IndexFunc(s.Properties, func(p jsonschema.Property) bool { return p.Name == name })
		if i < 0 { // inside an array
			return table.Text
		}

		s = s.Properties[i].Schema
	}

	switch {
	case s.Format == "date":
		return table.Date
	case s.Type == "boolean":
		return table.Flag
	case s.Type == "integer":
		return table.Integer
	case s.Type == "number":
		return table.Number
	}

	return table.Text
}
