package jsonschema

import (
	"reflect"
	"slices"
	"testing"

	"github.com/rodata/rodata/internal/jsontext"
)

type shelf struct {
	Label  *label `json:"label" doc:"Its label." brief:"Label."`
	Books  []book `json:"items"`
	Height number `json:"height,omitempty"`
	_      bool   // is no property
}

// SchemaName is another name than that of the type.
func (shelf) SchemaName() string { return "Bookshelf" }

type book struct {
	Title string `json:"title" doc:"The title."`
}

type label string

func (label) Schema() Schema { return Enum[label]("new", "old") }

// number is a text in a request and a number in an answer.
type number int

func (number) Schema() Schema { return Schema{Type: "string"} }

func (number) AnswerSchema() Schema { return Schema{Type: "integer"} }

func TestSchemaOfAType(t *testing.T) {
	s := Of(reflect.TypeFor[shelf]())
	for _, c := range []struct {
		name string
		s    Schema
		want string
	}{
		{"an answer", s, `{"type":"object","properties":{` +
			`"label":{"type":["string","null"],"description":"Its label.","enum":["new","old",null]},` +
			`"items":{"type":"array","items":{"type":"object","properties":{"title":{"type":"string",` +
			`"description":"The title."}},"required":["title"]}},` +
			`"height":{"type":"integer"}},"required":["label","items"]}`},
		{"its outline", s.Outline(), `{"type":"object","properties":{` +
			`"label":{"type":["string","null"],"description":"Label."},` +
			`"items":{"type":"array","items":{"type":"object","properties":{"title":{"type":"string"}}}},` +
			`"height":{"type":"integer"}}}`},
		{"an argument of a tool", Schema{Type: "object", Properties: []Property{
			{"ids", Schema{Type: "array", Items: &Schema{Type: "integer", Or: "string"}}},
			{"day", Schema{Type: "string", Format: "date", Description: "The day."}},
		}}.ForTool(7), `{"type":"object","properties":{` +
			`"ids":{"type":"array","maxItems":7,"items":{"type":"string"}},` +
			`"day":{"type":"string","description":"The day. YYYY-MM-DD.","pattern":"^\\d{4}-\\d{2}-\\d{2}$"}}}`},
	} {
		if got := string(jsontext.MustEncode(c.s)); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// A component is defined before the components that refer to it.
func TestReferences(t *testing.T) {
	var defined []string
	s := Of(reflect.TypeFor[shelf]()).WithReferences(func(s Schema) {
		defined = append(defined, s.Name+" "+string(jsontext.MustEncode(s)))
	})
	if got := string(jsontext.MustEncode(s)); got != `{"$ref":"#/components/schemas/Bookshelf"}` {
		t.Errorf("got %s", got)
	}

	want := []string{
		`label {"type":["string","null"],"description":"Its label.","enum":["new","old",null]}`,
		`book {"type":"object","properties":{"title":{"type":"string","description":"The title."}},"required":["title"]}`,
		`Bookshelf {"type":"object","properties":{` +
			`"label":{"anyOf":[{"$ref":"#/components/schemas/label"},{"type":"null"}],"description":"Its label."},` +
			`"items":{"type":"array","items":{"$ref":"#/components/schemas/book"}},` +
			`"height":{"type":"integer"}},"required":["label","items"]}`,
	}
	if !slices.Equal(defined, want) {
		t.Errorf("got  %q\nwant %q", defined, want)
	}
}
