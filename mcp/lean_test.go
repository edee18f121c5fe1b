package mcp

import (
	"bytes"
	"encoding/json"
	"maps"
	"testing"
)

func TestLean(t *testing.T) {
	for document, want := range map[string]string{
		`{}`:                        `{}`,
		`{"a":null}`:                `{}`,
		`{"a":1,"b":null}`:          `{"a":1}`,
		`{"a":null,"b":1}`:          `{"b":1}`,
		`{"a":1,"b":null,"c":2}`:    `{"a":1,"c":2}`,
		`{"a":1,"b":null,"c":null}`: `{"a":1}`,
		`{"a":null,"b":null}`:       `{}`,
		`{"a":{"b":null},"c":[{"d":null,"e":"f"}]}`:  `{"a":{},"c":[{"e":"f"}]}`,
		`{"a":[null,1,null]}`:                        `{"a":[null,1,null]}`,
		`{"a":":null","b":null}`:                     `{"a":":null"}`,
		`{"a":"x\":null,","b":null}`:                 `{"a":"x\":null,"}`,
		`{"a":"\\","b":null}`:                        `{"a":"\\"}`,
		`["x",":null"]`:                              `["x",":null"]`,
		`{"a":"null","b":0,"c":false,"d":"","e":[]}`: `{"a":"null","b":0,"c":false,"d":"","e":[]}`,
	} {
		if got := string(appendLean(nil, []byte(document))); got != want {
			t.Errorf("%s becomes %s, want %s", document, got, want)
		}
	}
}

func FuzzLean(f *testing.F) {
	for _, text := range []string{"", ":null", `":null`, `x":null,`, `\":null}`, `{"a":null}`, "ș", "\\", "]", ","} {
		f.Add(text, text, true)
	}

	f.Fuzz(func(t *testing.T, one, other string, keep bool) {
		var number any
		if keep {
			number = 1
		}

		document := mustEncode(map[string]any{
			"a": one, "b": nil, "c": []any{other, nil, map[string]any{"d": nil, "e": other, "f": number}}, "g": number,
			"h": map[string]any{"i": one, "j": nil},
		})
		if got, want := canonical(t, appendLean(nil, document)), withoutNulls(t, document); got != want {
			t.Errorf("%s becomes %s, want %s", document, got, want)
		}
	})
}

// withoutNulls returns a REST document in canonical form without the members that are null. This is the only
// difference between an answer of REST and of a tool.
func withoutNulls(t *testing.T, document []byte) string {
	t.Helper()
	out, _ := json.Marshal(stripped(decoded(t, document)))
	return string(out)
}

func stripped(value any) any {
	switch value := value.(type) {
	case map[string]any:
		maps.DeleteFunc(value, func(_ string, member any) bool { return member == nil })
		for name, member := range value {
			value[name] = stripped(member)
		}
	case []any:
		for i := range value {
			value[i] = stripped(value[i])
		}
	}

	return value
}

// decoded reads a document. Numbers keep their digits.
func decoded(t *testing.T, document []byte) (value any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(document))
	dec.UseNumber()
	if err := dec.Decode(&value); err != nil {
		t.Fatalf("%s: %v", document, err)
	}

	return value
}
