package ask

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/rodata/rodata/internal/table"
)

// form is the output format of a command.
type form int

// The forms.
const (
	forPeople form = iota
	asJSON
	asCSV
)

func formOf(json, csv bool) form {
	switch {
	case json:
		return asJSON
	case csv:
		return asCSV
	}

	return forPeople
}

// printJSON prints a value, indented.
func printJSON(out io.Writer, value any) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}

// printCSV prints a table (RFC 4180) with a row for each item.
func printCSV[T any](out io.Writer, columns []string, items []T, row func(*T) []string) error {
	w := table.NewCSV(out, table.Texts(columns...), ',')
	for i := range items {
		if err := w.Write(row(&items[i])); err != nil {
			return errors.Join(err, w.Close())
		}
	}

	return w.Close()
}

// printFields prints fields of the items' JSON form as CSV.
func printFields[T any](out io.Writer, items []T, fields ...string) error {
	return printCSV(out, fields, items, func(item *T) []string {
		object, _ := json.Marshal(item) // it was decoded from JSON, so it can be encoded
		return fieldsOf(object, fields)
	})
}

// fieldsOf returns the texts of fields of a JSON object, empty ones if there is no object.
func fieldsOf(object json.RawMessage, fields []string) []string {
	texts := make([]string, len(fields))
	for i, field := range fields {
		texts[i] = fieldOf(object, field)
	}
	return texts
}

// fieldOf returns the text of a field of a JSON object; dots in the path lead into nested objects. It returns an empty
// text for null.
func fieldOf(object json.RawMessage, path string) string {
	for name := range strings.SplitSeq(path, ".") {
		var members map[string]json.RawMessage
		if json.Unmarshal(object, &members) != nil {
			return ""
		}

		object = members[name]
	}

	var text string
	switch {
	case len(object) == 0, string(object) == "null":
		return ""
	case json.Unmarshal(object, &text) == nil:
		return text
	}

	return string(object)
}
