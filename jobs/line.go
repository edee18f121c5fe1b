package jobs

import (
	"bytes"
	"encoding/json"

	"github.com/rodata/rodata/api"
)

// lineOf returns a row as a JSON object, like an item of a batch.
func lineOf(job *Job, index int, cells []string, o *Outcome) ([]byte, error) {
	line := struct {
		Index   int             `json:"index"`
		Input   object          `json:"input"`
		TaxID   api.CUI         `json:"taxId,omitempty"`
		Date    api.Date        `json:"date,omitempty"`
		Status  *int            `json:"status"`
		Company json.RawMessage `json:"company,omitempty"`
		Problem json.RawMessage `json:"problem,omitempty"`
	}{Index: index, Input: object{job.Order.Columns, cells}, TaxID: o.TaxID, Date: o.Day, Company: o.Profile}
	if o.Status != 0 {
		line.Status = &o.Status
	}
	if o.Problem != nil {
		line.Problem = o.Problem.problem().JSON("")
	}

	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(line)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// object has the cells of a row with the names of their columns, in order.
type object struct{ names, cells []string }

// MarshalJSON encodes all columns: missing cells are empty.
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
		if err := enc.Encode(at(o.cells, i)); err != nil {
			return nil, err
		}
	}

	text.WriteByte('}')
	return text.Bytes(), nil
}
