package jsontext

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// FuzzMembers compares the members and elements of JSON texts with the output of encoding/json.
func FuzzMembers(f *testing.F) {
	for _, text := range []string{
		`{}`, `[]`, ` { } `, `null`, `12`, `"{}"`, `{"a":1,"b":"x","c":null,"d":true}`,
		`{"a":{"b":[1,{"c":"}"}]},"d":[]}`,
		`{"a\"b":"\\","ș":"\\\"","":-1.5e3}`, "{ \"a\" :\n1 ,\t\"b\" : [ 1 , 2 ] }\r\n",
		`[1,"a,b",[2,3],{"c":[4]},null]`, `[{}]`, `{"a":"\u2028,"}`,
	} {
		f.Add([]byte(text))
	}

	f.Fuzz(func(t *testing.T, text []byte) {
		var members, elements []string
		for name, value := range Members(text) {
			members = append(members, string(name), string(value))
		}

		for element := range Elements(text) {
			elements = append(elements, string(element))
		}
		if !json.Valid(text) {
			return // it must only end
		}

		if got, want := unquoted(t, members), partsOf(t, text, '{'); !slices.Equal(got, want) {
			t.Errorf("%q has the members %q, want %q", text, got, want)
		}
		if want := partsOf(t, text, '['); !slices.Equal(elements, want) {
			t.Errorf("%q has the elements %q, want %q", text, elements, want)
		}
	})
}

// unquoted decodes the names of members.
func unquoted(t *testing.T, members []string) []string {
	for i := 0; i < len(members); i += 2 {
		testkit.NoError(t, json.Unmarshal([]byte(`"`+members[i]+`"`), &members[i]))
	}

	return members
}

// partsOf returns the members or elements of a value that begins with the bracket, as encoding/json reads them.
func partsOf(t *testing.T, text []byte, bracket json.Delim) (all []string) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if first, err := dec.Token(); err != nil || first != bracket {
		return nil
	}

	for dec.More() {
		if bracket == '{' {
			name, err := dec.Token()
			testkit.NoError(t, err)

			all = append(all, name.(string))
		}

		var value json.RawMessage
		testkit.NoError(t, dec.Decode(&value))

		all = append(all, string(value))
	}

	return all
}
