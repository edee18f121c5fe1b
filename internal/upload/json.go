package upload

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/op/problem"
)

const (
	jsonForm = `an array of tax ids or of objects, as [14399840] or [{"cui": 14399840, "name": "..."}]`
	lineForm = `a tax id or an object in each line, as {"cui": 14399840, "name": "..."}`
)

// readJSON reads tax ids or objects, from an array or from lines. Each member of an object is in the column of its
// name.
func (r *reader) readJSON() error {
	if r.Sheet != "" {
		return wrongOption("sheet", r.Sheet, "no sheet: the file is not a workbook", "the file is not a workbook")
	}

	t, err := r.openText()
	if err != nil {
		return err
	}

	values := func(each func(json.RawMessage, int) error) error { return r.elements(t.reader(), each) }
	if r.Media == NDJSON {
		values = func(each func(json.RawMessage, int) error) error { return r.lines(t.reader(), each) }
	}
	rows := func(each func(*Row) error) error {
		return values(func(value json.RawMessage, line int) error {
			x, err := r.rowOf(value, line)
			if err == nil {
				err = each(x)
			}
			return err
		})
	}

	first, err := r.sample(rows)
	if err != nil {
		return err
	}

	r.columns = make(map[string]int)
	for i := range first {
		if err := r.arrange(&first[i]); err != nil {
			return err
		}
	}
	if err := r.layOutJSON(first); err != nil {
		return err
	}

	return r.emitAll(func(each func(*Row) error) error {
		return rows(func(x *Row) error {
			if err := r.arrange(x); err != nil {
				return err
			}
			return each(x)
		})
	})
}

// layOutJSON finds the columns of objects by the names of their members, which serve as the header of a table.
func (r *reader) layOutJSON(first []Row) error {
	names := r.table.Columns
	if len(first) == 0 {
		return refuse(problem.Empty, "a file with at least one row", "the file has no rows")
	}

	g := &grid{rows: append([]Row{{Line: 1, Cells: names}}, first...), width: len(names)}
	id, err := r.findID(g)
	if err != nil {
		return err
	}

	r.table.ID, g.header = id, 0
	if err := r.nameColumns(g, names); err != nil {
		return err
	}
	r.table.Columns, r.skip = names, 0 // names of members are distinct
	return nil
}

// elements calls a function with the elements of an array, which are counted from 1.
func (r *reader) elements(text io.Reader, each func(json.RawMessage, int) error) error {
	in := &meter{Reader: text, left: maxRow, over: bufio.ErrTooLong}
	dec := json.NewDecoder(in)
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return errOf(1, err, refuse(problem.InvalidType, jsonForm, "the file is not a JSON array; send %s", jsonForm))
	}

	for n := 1; dec.More(); n++ {
		in.left = maxRow
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return errOf(n, err, refuse(problem.Malformed, jsonForm, "the JSON is broken at element %d", rowNumber(n)))
		}
		if err := each(value, n); err != nil {
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

// errOf returns tooLongRow if the length of the row stopped the parser, and the other error otherwise.
func errOf(row int, err, otherwise error) error {
	if errors.Is(err, bufio.ErrTooLong) {
		return tooLongRow(row)
	}
	return otherwise
}

// lines calls a function with the JSON value in each line that is not empty.
func (r *reader) lines(text io.Reader, each func(json.RawMessage, int) error) error {
	lines, n := bufio.NewScanner(text), 0
	lines.Buffer(nil, maxRow)
	for lines.Scan() {
		n++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if !json.Valid(line) {
			return refuse(problem.Malformed, lineForm, "row %d is not JSON; send %s", rowNumber(n), lineForm)
		}
		if err := each(line, n); err != nil {
			return err
		}
	}

	return errOf(n+1, lines.Err(), lines.Err())
}

// rowOf returns a tax id, or the members of an object, as a row. A repeated member keeps its last value.
func (r *reader) rowOf(value json.RawMessage, line int) (*Row, error) {
	if err := r.budget.step(len(value) / stepBytes); err != nil {
		return nil, err
	}

	form := jsonForm
	if r.Media == NDJSON {
		form = lineForm
	}
	switch value[0] {
	case '{':
	case '[', 'n', 't', 'f':
		return nil, refuse(problem.InvalidType, form, "row %d is neither a tax id nor an object; send %s",
			rowNumber(line), form)
	default:
		cell, kind := cellOf(value)
		return &Row{line, []string{cell}, []table.Kind{kind}, []string{"taxId"}}, r.budget.step(1)
	}

	x := &Row{Line: line}
	dec := json.NewDecoder(bytes.NewReader(value))
	_, err := dec.Token()
	for err == nil && dec.More() {
		var name json.Token
		if name, err = dec.Token(); err != nil {
			break
		}

		var member json.RawMessage
		if err = dec.Decode(&member); err != nil {
			break
		}
		if len(x.names) > maxColumns {
			return nil, tooWide(line)
		}
		if err := r.budget.step(1); err != nil {
			return nil, err
		}

		text, _ := name.(string)
		cell, kind := cellOf(member)
		x.names, x.Cells, x.Kinds = append(x.names, text), append(x.Cells, cell), append(x.Kinds, kind)
	}

	if err != nil {
		return nil, refuse(problem.Malformed, form, "the object of row %d cannot be read", rowNumber(line))
	}
	if len(x.names) == 0 && len(r.table.Columns) == 0 {
		return nil, refuse(problem.InvalidFormat, form, "the object of row %d has no members", rowNumber(line))
	}
	return x, nil
}

// arrange puts the members of a row into their columns. A new name adds a column. Missing members count as null.
func (r *reader) arrange(x *Row) error {
	cells := make([]string, len(r.table.Columns), len(r.table.Columns)+len(x.names))
	kinds := slices.Repeat([]table.Kind{table.Other}, len(cells))
	for i, name := range x.names {
		column, isKnown := r.columns[name]
		if !isKnown {
			if column = len(cells); column == maxColumns {
				return tooWide(x.Line)
			}
			if err := checkNames([]string{name}); err != nil {
				return err
			}

			r.columns[name] = column
			r.table.Columns, cells = append(r.table.Columns, name), append(cells, "")
			kinds = append(kinds, table.Other)
			if r.table.ID >= 0 && r.table.Date < 0 && r.DateColumn == "" && namesDate(name) {
				r.table.Date = column
			}
		}

		cells[column], kinds[column] = x.Cells[i], x.Kinds[i]
	}

	x.Cells, x.Kinds, x.names = cells, kinds, nil
	return nil
}

// cellOf returns a JSON value as a cell: a text without quotes, null as the empty text, and everything else unchanged.
func cellOf(value json.RawMessage) (text string, kind table.Kind) {
	switch value[0] {
	case '"':
		_ = json.Unmarshal(value, &text) // it is valid
		return text, table.Text
	case 'n':
		return "", table.Other
	case 't', 'f':
		return string(value), table.Flag
	}

	kind, _ = numberKind(string(value))
	return string(value), kind
}
