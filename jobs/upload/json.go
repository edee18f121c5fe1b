package upload

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/rodata/rodata/api/problem"
)

const (
	jsonForm = `an array of tax ids or of objects, as [14399840] or [{"cui": 14399840, "name": "..."}]`
	lineForm = `a tax id or an object in each line, as {"cui": 14399840, "name": "..."}`
)

// readJSON reads an array of tax ids or objects. Rows are counted from 1.
func (r *reader) readJSON(text string) error {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return refuse(problem.InvalidType, jsonForm, "the file is not a JSON array; send %s", jsonForm)
	}

	for row := 1; dec.More(); row++ {
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return refuse(problem.Malformed, jsonForm, "the JSON is broken at element %d", row)
		}
		if err := r.emitJSON(value, row, jsonForm); err != nil {
			return err
		}
	}

	if _, err := dec.Token(); err != nil {
		return refuse(problem.Malformed, jsonForm, "the JSON array does not end")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return refuse(problem.Malformed, jsonForm, "something follows the JSON array; send a value in each line as %s",
			NDJSON)
	}

	return nil
}

// readNDJSON reads one JSON value from each line that is not empty.
func (r *reader) readNDJSON(text string) error {
	row := 0
	for line := range strings.Lines(text) {
		row++
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if !json.Valid([]byte(line)) {
			return refuse(problem.Malformed, lineForm, "row %d is not JSON; send %s", row, lineForm)
		}
		if err := r.emitJSON(json.RawMessage(line), row, lineForm); err != nil {
			return err
		}
	}

	return nil
}

// emitJSON emits a row: a tax id, or the members of an object, each in the column of its name. A new name adds a
// column.
func (r *reader) emitJSON(value json.RawMessage, row int, form string) error {
	names, texts := []string{"taxId"}, []string(nil)
	switch value[0] {
	case '{':
		var err error
		if names, texts, err = membersOf(value); err != nil {
			return refuse(problem.Malformed, form, "the object of row %d cannot be read", row)
		}
	case '[', 'n', 't', 'f':
		return refuse(problem.InvalidType, form, "row %d is neither a tax id nor an object; send %s", row, form)
	default:
		texts = []string{textOf(value)}
	}

	if r.table.ID < 0 {
		if len(names) == 0 {
			return refuse(problem.InvalidFormat, form, "the object of row %d has no members", row)
		}
		if err := r.nameJSON(names); err != nil {
			return err
		}
	}

	cells := make([]string, len(r.table.Columns))
	for i, name := range names {
		column := slices.Index(r.table.Columns, name)
		if column < 0 {
			column = len(r.table.Columns)
			r.table.Columns, cells = append(r.table.Columns, name), append(cells, "")
			if column >= maxColumns {
				return tooWide(column + 1)
			}
			if r.table.Date < 0 && plain(name) == dateName {
				r.table.Date = column
			}
		}

		cells[column] = texts[i]
	}

	return r.emit(cells, row)
}

// nameJSON sets the columns to the members of the first object. Unlike the cells of a table's first row, members always
// have names.
func (r *reader) nameJSON(names []string) error {
	if _, err := r.readHeader(names); err != nil {
		return err
	}

	r.table.Columns = slices.Clone(names)
	return nil
}

// membersOf returns the names and values of an object's members as texts, in order. A repeated member keeps its last
// value. membersOf stops after more members than a table may have columns.
func membersOf(object json.RawMessage) (names, texts []string, err error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return nil, nil, err
	}

	for dec.More() && len(names) <= maxColumns {
		t, err := dec.Token()
		if err != nil {
			return nil, nil, err
		}

		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, nil, err
		}

		name, _ := t.(string)
		if i := slices.Index(names, name); i >= 0 {
			texts[i] = textOf(value)
			continue
		}

		names, texts = append(names, name), append(texts, textOf(value))
	}

	return names, texts, nil
}

// textOf returns a JSON value as a cell: texts without quotes, null as the empty text, and everything else unchanged.
func textOf(value json.RawMessage) string {
	var text string
	switch {
	case string(value) == "null":
		return ""
	case json.Unmarshal(value, &text) == nil:
		return text
	}

	return string(value)
}
