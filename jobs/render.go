package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/internal/table"
)

// notReached is the problem of rows that a failed or cancelled job did not reach.
const notReached = "not looked up: the job ended before"

// Render writes the rows of a job in a format.
func (r *Results) Render(ctx context.Context, job *Job, format api.JobFormat, w io.Writer) error {
	if format == api.JobNDJSON {
		return r.each(ctx, job, func(index int, cells []string, o *Outcome) error {
			line, err := lineOf(job, index, cells, o)
			if err == nil {
				_, err = w.Write(append(line, '\n'))
			}
			return err
		})
	}

	columns := columnsOf(&job.Order, format)
	var out table.Writer
	switch info := infoOf(job); format {
	case api.JobXLSX:
		out = table.NewXLSX(w, columns, info)
	case api.JobParquet:
		out = table.NewParquet(w, columns, info)
	default:
		out = table.NewCSV(w, columns, ',')
	}

	row, profile := make([]string, len(columns)), api.NewCellReader(job.Order.Fields)
	err := r.each(ctx, job, func(_ int, cells []string, o *Outcome) error {
		fill(row, &job.Order, cells, o, profile)
		return out.Write(row)
	})
	if closing := out.Close(); err == nil {
		err = closing
	}

	return err
}

// rowFunc is called with a row and its outcome, which are only valid during the call.
type rowFunc func(index int, cells []string, o *Outcome) error

// each calls a function with the rows of a job, in order.
func (r *Results) each(ctx context.Context, job *Job, do rowFunc) error {
	index := 0
	for number := 0; ; number++ {
		c, err := r.Store.Chunk(ctx, job.ID, number)
		if err != nil || c == nil {
			return err
		}
		if err := c.each(index, do); err != nil {
			return err
		}

		index += c.Rows
	}
}

// each calls a function with the rows of a chunk. The index is the position of the chunk's first row in the job.
func (c *Chunk) each(index int, do rowFunc) (err error) {
	rows, outcomes := unpack(c.Input), c.openOutcomes()
	defer func() { err = errors.Join(err, rows.close(), outcomes.close()) }()
	var cells []string
	var o Outcome
	for range c.Rows {
		if !rows.next(&cells) || !outcomes.next(&o) {
			return errRowsMissing
		}
		if err := do(index, cells, &o); err != nil {
			return err
		}

		index++
	}

	return nil
}

// errRowsMissing reports a chunk with fewer stored rows than its number of rows.
var errRowsMissing = errors.New("stored rows are missing")

// columnsOf returns the columns of a result: the file's columns, then status and problem, then the fields. A repeated
// name gets a number. Parquet allows no commas in names.
func columnsOf(o *Order, format api.JobFormat) []table.Column {
	var columns []table.Column
	seen := make(map[string]bool)
	add := func(name string, kind table.Kind) {
		unused := name
		for n := 2; seen[unused]; n++ {
			unused = fmt.Sprintf("%s (%d)", name, n)
		}

		seen[unused] = true
		columns = append(columns, table.Column{Name: unused, Kind: kind})
	}

	for _, name := range o.Columns {
		if format == api.JobParquet {
			name = strings.ReplaceAll(name, ",", ";")
		}
		add(name, table.Text)
	}

	add("status", table.Integer)
	add("problem", table.Text)
	for _, f := range o.Fields {
		add(string(f), api.FieldKind(f))
	}

	return columns
}

// fill sets the cells of a row.
func fill(row []string, order *Order, cells []string, o *Outcome, profile *api.CellReader) {
	clear(row)
	copy(row, cells)
	n := len(order.Columns)
	if o.Status == 0 {
		row[n+1] = notReached
		return
	}

	row[n] = strconv.Itoa(o.Status)
	if o.Problem != nil {
		row[n+1] = o.Problem.Detail
	}

	profile.Read(row[:n+2], o.Profile)
}

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

// infoOf returns the sources of the rows. The registers' publishers license the data:
// https://data.gov.ro/ro/base/documents/view/ogl-rou-1-0.
func infoOf(job *Job) table.Info {
	info := table.Info{
		Title: "Companies of an uploaded list",
		Sources: []table.Source{
			{Name: "Romanian tax authority (ANAF)", Address: "https://www.anaf.ro",
				Date:        job.CompletedAt.UTC().Format(time.DateOnly),
				Attribution: "Agenția Națională de Administrare Fiscală"},
			{Name: "Romanian trade register (ONRC)", Address: "https://data.gov.ro",
				Attribution: "Oficiul Național al Registrului Comerțului", Licence: "CC BY 4.0"},
		},
		Notes: []table.Note{
			{Name: "job", Text: string(job.ID)},
			{Name: "uploaded", Text: job.CreatedAt.UTC().Format(time.RFC3339)},
			{Name: "completed", Text: job.CompletedAt.UTC().Format(time.RFC3339)},
			{Name: "rows", Text: strconv.Itoa(job.Total)},
			{Name: "found", Text: strconv.Itoa(job.Found)},
		},
	}
	if job.Order.Day != 0 {
		info.Notes = append(info.Notes, table.Note{Name: "statuses as of", Text: job.Order.Day.String()})
	}
	return info
}
