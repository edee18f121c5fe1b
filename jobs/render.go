package jobs

import (
	"context"
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
