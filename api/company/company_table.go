package company

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/internal/upload"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// ReadTable reads an uploaded table of companies, as exported by spreadsheets and accounting programs. It recognises
// tax ids and days. See [upload.Read].
func ReadTable(ctx context.Context, file *io.SectionReader, o upload.Options,
	each func(t *upload.Table, x *upload.Row) error) (upload.Table, error) {
	o.IsTaxID, o.IsDay = isTaxID, isDay
	return upload.Read(ctx, file, o, each)
}

// isTaxID reports whether a cell identifies a company: by a tax id, or by a number of the trade register.
func isTaxID(cell string) bool {
	return cell != "" && ParseItem(BatchRequest{TaxID: cell}).Err == nil
}

func isDay(cell string) bool {
	_, err := ro.ParseDate(cell)
	return err == nil
}

// ResultColumns returns the columns of a table with the outcomes of its rows: its own columns, then status, problem and
// asOf, then fields of the companies. A repeated name gets a number. Parquet allows no commas in names.
func ResultColumns[F ~string](format string, names []string, kinds []table.Kind, fields []F) []table.Column {
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

	for i, name := range names {
		kind := table.Text
		if format == "parquet" {
			name = strings.ReplaceAll(name, ",", ";")
		}
		if i < len(kinds) {
			kind = kinds[i]
		}
		add(name, kind)
	}

	add("status", table.Integer)
	add("problem", table.Text)
	add("asOf", table.Date)
	for _, f := range fields {
		add(string(f), FieldKind(Field(f)))
	}

	return columns
}

// Table is a list of companies in a CSV table.
type Table struct {
	Rows  []BatchRequest
	Lines []int // the line of each row, from 1
}

// read reads a table of at most a number of rows. Errors in the table are problems.
func (t *Table) Read(ctx context.Context, file *io.SectionReader, most int) error {
	_, err := ReadTable(ctx, file, upload.Options{Media: upload.CSV, Limits: upload.Limits{Rows: most}}, t.add)
	return err
}

func (t *Table) add(from *upload.Table, x *upload.Row) error {
	cell := func(column int) string {
		if column < 0 || column >= len(x.Cells) {
			return ""
		}
		return strings.Clone(strings.TrimSpace(x.Cells[column]))
	}
	row := BatchRequest{TaxID: cell(from.ID), Reference: cell(from.Reference)}
	_, err := op.ShownText[Reference]([]byte(row.Reference), 0, longestReference)
	if refused, ok := errors.AsType[*problem.InputError](err); ok {
		refused.Parameter = "file"
		refused.Row, refused.Column = x.Line, *problem.Excerpt(from.Columns[from.Reference])
		refused.Reason = fmt.Sprintf("the reference in row %d of the table: %s", refused.Row, refused.Reason)
		return problem.Invalid(refused)
	}

	t.Rows, t.Lines = append(t.Rows, row), append(t.Lines, x.Line)
	return nil
}
