package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/job"
	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/ro"
)

// The problems of rows without an outcome.
const (
	notReached = "not looked up: the job ended before"
	notReady   = "not ready: the job is running"
)

// Render writes the rows of a job in a format. Rows without an outcome have no status.
func (r *Results) Render(ctx context.Context, j *Job, order job.ResultOrder, w io.Writer) error {
	format := order.Format
	if format == job.NDJSON {
		return r.each(ctx, j, func(index int, x *row, o *Outcome) error {
			line, err := lineOf(j, index, x, o, order.BaseURL)
			if err == nil {
				_, err = w.Write(append(line, '\n'))
			}
			return err
		})
	}

	o := &j.Order
	columns := company.ResultColumns(string(format), o.Columns, o.Kinds, o.Fields)
	out := table.New(string(format), w, columns, r.infoOf(j), table.DelimiterFor(j.Heading.Delimiter))

	cells, profile := make([]string, len(columns)), company.NewCellReader(j.Order.Fields)
	if format != job.Parquet { // its columns of flags and days have no texts
		profile.Unknown = "unknown"
	}

	err := r.each(ctx, j, func(_ int, x *row, o *Outcome) error {
		fill(cells, j, x, o, profile)
		return out.Write(cells, x.Kinds...)
	})
	if closing := out.Close(); err == nil {
		err = closing
	}

	return err
}

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

// fill sets the cells of a row of the result.
func fill(cells []string, job *Job, x *row, o *Outcome, profile *company.CellReader) {
	clear(cells)
	copy(cells, x.Cells)

	n := len(job.Order.Columns)
	if o.Status == 0 {
		cells[n+1] = notReached
		if !job.Status.Ended() {
			cells[n+1] = notReady
		}
		return
	}

	cells[n] = strconv.Itoa(o.Status)
	switch {
	case o.Problem != nil:
		cells[n+1] = o.Problem.Detail
	case len(o.Unknown) > 0:
		cells[n+1] = "unknown, because the register did not answer: " + strings.Join(o.Unknown, ", ")
	}

	if day := o.asOf(); day != 0 {
		cells[n+2] = day.String()
	}

	profile.Read(cells[:n+3], o.Profile, o.Unknown...)
}

// infoOf returns the sources of the rows. The registers' publishers license the data:
// https://data.gov.ro/ro/base/documents/view/ogl-rou-1-0.
func (r *Results) infoOf(job *Job) table.Info {
	ended, until := time.Now(), table.Note{Name: "partial", Text: fmt.Sprintf("%d of %d rows are ready", job.Done,
		job.Total)}
	if job.Status.Ended() {
		ended, until = job.CompletedAt, table.Note{Name: "completed", Text: job.CompletedAt.UTC().Format(time.RFC3339)}
	}

	trade := table.Source{Name: company.TradeRegisterName, Address: company.TradeRegisterAddress,
		Attribution: company.TradeRegisterAttribution, Licence: company.OpenDataLicence}
	if r.Through != nil {
		if through := r.Through(); through != 0 {
			trade.Date = through.String()
		}
	}

	info := table.Info{
		Title: "Companies of an uploaded list",
		Sources: []table.Source{
			{Name: "Romanian tax authority (ANAF)", Address: "https://www.anaf.ro",
				Date:        ro.DateIn(ended, ro.Bucharest).String(),
				Attribution: "Agenția Națională de Administrare Fiscală"},
			trade,
		},
		Notes: []table.Note{
			{Name: "job", Text: string(job.ID)},
			{Name: "list", Text: job.Heading.Name},
			{Name: "uploaded", Text: job.CreatedAt.UTC().Format(time.RFC3339)},
			until,
			{Name: "rows", Text: strconv.Itoa(job.Total)},
			{Name: "found", Text: strconv.Itoa(job.Found)},
		},
	}
	if job.Order.Day != 0 {
		info.Notes = append(info.Notes, table.Note{Name: "statuses as of", Text: job.Order.Day.String()})
	}
	return info
}

// lineOf returns a row as a JSON object, like an item of a batch. The type of a problem is a URL below baseURL.
func lineOf(job *Job, index int, x *row, o *Outcome, baseURL string) ([]byte, error) {
	line := struct {
		Index   int             `json:"index"`
		Row     int             `json:"row,omitempty"`
		Input   object          `json:"input"`
		TaxID   ro.CUI          `json:"taxId,omitempty"`
		Date    ro.Date         `json:"date,omitempty"`
		Status  *int            `json:"status"`
		AsOf    ro.Date         `json:"asOf,omitempty"`
		Company json.RawMessage `json:"company,omitempty"`
		Unknown []string        `json:"unknown,omitempty"`
		Problem json.RawMessage `json:"problem,omitempty"`
	}{Index: index, Row: x.Line, Input: object{job.Order.Columns, x}, TaxID: o.TaxID, Date: o.Day, AsOf: o.asOf(),
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
	case kind == table.Text, kind == table.Date, kind == table.Time:
		return cell
	case cell == "":
		return nil
	}
	return json.RawMessage(cell)
}
