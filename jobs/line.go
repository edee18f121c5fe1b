package jobs

import (
	"bytes"
	"encoding/json"

	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/ro"
)

// lineOf returns a row as a JSON object, like an item of a batch. The type of a problem is a URL below baseURL.
func lineOf(job *Job, index int, x *row, o *Outcome, baseURL string) ([]byte, error) {
	line := struct {
		Index   int             `json:"index"`
		Input   object          `json:"input"`
		TaxID   ro.CUI          `json:"taxId,omitempty"`
		Date    ro.Date         `json:"date,omitempty"`
		Status  *int            `json:"status"`
		AsOf    ro.Date         `json:"asOf,omitempty"`
		Company json.RawMessage `json:"company,omitempty"`
		Unknown []string        `json:"unknown,omitempty"`
		Problem json.RawMessage `json:"problem,omitempty"`
	}{Index: index, Input: object{job.Order.Columns, x}, TaxID: o.TaxID, Date: o.Day, AsOf: o.asOf(),
		Company: o.Profile, Unknown: o.Unknown}
	if o.Status != 0 {
		line.Status = &o.Status
	}
	if o.Problem != nil {
		line.Problem = o.Problem.problem().JSON(baseURL)
	}

	return jsontext.Encode(line)
}

// object is a row of the file, with the names of its columns in order.
type object struct {
	names []string
	row   *row
}

// MarshalJSON encodes all columns. Values of workbooks and JSON keep their types, and are null if they are missing;
// other missing cells are empty texts.
func (o object) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	text.WriteByte('{')
	for i, name := range o.names {
		if i > 0 {
			text.WriteByte(',')
		}
		if err := enc.Encode(name); err != nil {
			return nil, err
		}

		text.WriteByte(':')
		if err := enc.Encode(o.row.value(i)); err != nil {
			return nil, err
		}
	}

	text.WriteByte('}')
	return text.Bytes(), nil
}

// value returns the cell of a column for JSON.
func (x *row) value(column int) any {
	kind, cell := table.Text, cellAt(x.Cells, column)
	if len(x.Kinds) > 0 {
		kind = table.Other
	}
	if column < len(x.Kinds) {
		kind = x.Kinds[column]
	}

	switch {
	case kind == table.Text, kind == table.Date:
		return cell
	case cell == "":
		return nil
	}
	return json.RawMessage(cell)
}
