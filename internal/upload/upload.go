// Package upload reads uploaded tables: CSV, XLSX, NDJSON and JSON. It finds the table in the file by its content, with
// its columns of tax ids and days, and passes on the rows one by one, with all their cells as texts. One budget bounds
// the work for a file, whatever its format. If a file cannot be read, the error names the row and the reason.
package upload

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/op/problem"
)

// Media types of the files.
const (
	CSV    = "text/csv"
	XLSX   = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	NDJSON = "application/x-ndjson"
	JSON   = "application/json"
)

// mediaOf has the media types by the extensions of files.
var mediaOf = map[string]string{
	".csv": CSV, ".txt": CSV, ".tsv": CSV, ".xlsx": XLSX, ".ndjson": NDJSON, ".jsonl": NDJSON, ".json": JSON,
}

// MediaOf returns the media type of a file, by its name; empty if that does not say.
func MediaOf(name string) string { return mediaOf[strings.ToLower(filepath.Ext(name))] }

// Limits bound a file.
type Limits struct {
	// Rows is the maximum number of rows, without the header. Default 200,000.
	Rows int
}

const (
	defaultRows = 200_000
	// maxColumns is the maximum number of columns, and maxName the maximum number of characters in their names: NDJSON
	// results repeat the names in each row.
	maxColumns = 1000
	maxName    = 200
	// maxCell is the maximum number of characters in a cell. Spreadsheets have the same limit:
	// https://support.microsoft.com/office/1672b34d-7043-467e-8e27-269d656771c3
	maxCell = 32_767
	// maxRow is the maximum number of bytes in a row.
	maxRow = 1 << 20
)

// Options determine how a file is read.
type Options struct {
	Limits
	// Media is the media type of the file.
	Media string
	// Column is the name or the number, from 1, of the column of tax ids; empty to find it.
	Column string
	// DateColumn is the name or the number of the column of days, or none; empty to find it by its name.
	DateColumn string
	// Sheet is the name or the number, from 1, of a workbook's sheet; empty for the visible one with the most tax ids
	// in its first rows.
	Sheet string
	// IsTaxID reports whether a cell has a tax id with a correct check digit, and IsDay whether it has a day.
	IsTaxID, IsDay func(cell string) bool
	// Temp is the folder for texts of workbooks that are too large for memory; empty for the system's.
	Temp string
}

// Table describes what was recognised in a file.
type Table struct {
	// Columns are the names of the columns, all different.
	Columns []string
	// ID, Date and Reference are the indexes of the columns of tax ids, of days, and of the caller's references. They
	// are negative if there is no such column.
	ID, Date, Reference int
	// Kinds are the types of the columns. A column of a workbook or of JSON has the type of its cells, if all have the
	// same; every other column is text.
	Kinds []table.Kind
	// Sheet is the name of a workbook's sheet, and Sheets are those of all its visible ones. Header is the number
	// of the row with the names of the columns, from 1; 0 if there is none. Delimiter separates the cells of CSV.
	Sheet     string
	Sheets    []string
	Header    int
	Delimiter string
	// Rows is the number of rows.
	Rows int
}

// Row is a row of a table. It may have fewer cells than the table has columns.
type Row struct {
	Line  int // the position in the file, from 1
	Cells []string
	// Kinds are the types of the cells. They are nil for CSV, whose cells are texts.
	Kinds []table.Kind

	names []string // of the members of a JSON object; nil for other rows
}

// Read reads a file. It calls each with every row that is not empty. The row is only valid during the call. The table
// has no Kinds yet, and rows of JSON may add columns. Errors in the file are a *problem.Problem; with one about a
// column, the table has the Columns and Sheets that the caller may choose. An error from each or of the context is
// returned unchanged.
func Read(ctx context.Context, file *io.SectionReader, o Options,
	each func(t *Table, x *Row) error) (Table, error) {
	b := &budget{ctx: ctx}
	if err := b.begin(); err != nil {
		return Table{}, err
	}
	defer b.end()

	r := &reader{Options: o, file: file, budget: b, each: each, table: Table{ID: -1, Date: -1, Reference: -1}}
	r.Rows = cmp.Or(r.Rows, defaultRows)
	err := r.read()
	if err == nil && r.table.Rows == 0 {
		err = refuse(problem.Empty, "a file with at least one row",
			"the file has no rows below the names of its columns")
	}

	r.table.Kinds = r.kinds.list()
	return r.table, err
}

// reader reads a file and emits its rows.
type reader struct {
	Options
	file    *io.SectionReader
	budget  *budget
	each    func(*Table, *Row) error
	table   Table
	skip    int            // rows up to the header
	grows   bool           // rows may be wider than the first ones
	columns map[string]int // of JSON, by name
	kinds   kinds
}

// isEmpty reports whether a row has no content.
func (r *Row) isEmpty() bool {
	return len(trimEmpty(r.Cells)) == 0 && !slices.Contains(r.Kinds, uncomputed)
}

// source calls a function with the rows of a file, from the first one, until it returns an error.
type source func(each func(*Row) error) error

func (r *reader) read() error {
	head := make([]byte, 4<<10)
	n, err := r.file.ReadAt(head, 0)
	if err != nil && err != io.EOF { //nolint:errorlint // ReaderAt returns it unwrapped
		return fmt.Errorf("reading the upload: %w", err)
	}
	if err := checkContent(head[:n], r.Media); err != nil {
		return err
	}

	switch r.Media {
	case XLSX:
		return r.readXLSX()
	case NDJSON, JSON:
		return r.readJSON()
	}

	return r.readCSV()
}

// readTable finds the table in a source, and emits its rows.
func (r *reader) readTable(rows source) error {
	first, err := r.sample(rows)
	if err == nil {
		err = r.layOut(first)
	}
	if err != nil {
		return err
	}

	return r.emitAll(rows)
}

// emitAll emits the rows of a source below the header.
func (r *reader) emitAll(rows source) error {
	skip := r.skip
	return rows(func(x *Row) error {
		if x.isEmpty() {
			return nil
		}
		if skip--; skip >= 0 {
			return nil
		}
		return r.emit(x)
	})
}

// emit checks a row and passes it on. Empty cells at the end of a row do not count, unless it is JSON.
func (r *reader) emit(x *Row) error {
	cells := x.Cells
	if r.columns == nil {
		cells = trimEmpty(cells)
	}
	for r.grows && len(cells) > len(r.table.Columns) {
		r.table.Columns = unique(append(r.table.Columns, ""))
	}
	if len(cells) > len(r.table.Columns) {
		return refuse(problem.Malformed, "rows with as many cells as there are columns",
			"row %d has %d cells, and the table has %d columns", rowNumber(x.Line), len(cells), len(r.table.Columns))
	}

	for i, cell := range cells {
		if len(cell) > maxCell && utf8.RuneCountInString(cell) > maxCell {
			return refuse(problem.TooLong, fmt.Sprintf("cells of at most %d characters", maxCell),
				"the cell of row %d in the column %q has more than %d characters", rowNumber(x.Line),
				shownColumn(r.table.Columns[i]), maxCell)
		}
	}

	if id := r.table.ID; id < len(x.Kinds) && x.Kinds[id] == uncomputed {
		return refuse(problem.InvalidFormat, "tax ids as values",
			"row %d has a formula without a value in the column %q; open the workbook in a spreadsheet program, "+
				"which computes it, and save it", rowNumber(x.Line), shownColumn(r.table.Columns[id]))
	}
	if r.table.Rows++; r.table.Rows > r.Rows {
		return refuse(problem.TooMany, fmt.Sprintf("at most %d rows", r.Rows),
			"the file has more than %d rows: row %d is one too many; split it into several files", r.Rows,
			rowNumber(x.Line))
	}
	if err := r.budget.expand(cells); err != nil {
		return err
	}

	x.Cells, x.Kinds = cells, x.Kinds[:min(len(x.Kinds), len(cells))]
	r.kinds.add(x.Kinds, cells)
	return r.each(&r.table, x)
}

// rowNumber and columnName are the arguments of a reason that tell where the error is. The problem has them as members,
// too, so that the site and programs need not parse the sentence.
type (
	rowNumber  int
	columnName string
)

// shownColumn shortens the name of a column as [problem.Quoted] does.
func shownColumn(name string) columnName { return columnName(*problem.Excerpt(name)) }

// refuse returns the problem of a file that cannot be read.
func refuse(code problem.InputCode, accepted, reason string, args ...any) error {
	wrong := &problem.InputError{Parameter: "file", Code: code, Accepted: accepted,
		Reason: fmt.Sprintf(reason, args...)}
	for _, arg := range args {
		switch arg := arg.(type) {
		case rowNumber:
			wrong.Row = int(arg)
		case columnName:
			wrong.Column = string(arg)
		}
	}

	return problem.Invalid(wrong)
}

func isProblem(err error) bool {
	_, is := errors.AsType[*problem.Problem](err)
	return is
}

// The first bytes of ZIP files, and of compound files. Excel uses compound files for encrypted workbooks and for the
// format before 2007: [MS-CFB] 2.2, [MS-OFFCRYPTO] 2.3.
var (
	zipMagic      = []byte("PK\x03\x04")
	compoundMagic = []byte{0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1}
)

// checkContent refuses a file whose first bytes contradict its media type.
func checkContent(head []byte, media string) error {
	isZIP := bytes.HasPrefix(head, zipMagic)
	text := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\uFEFF")))
	switch {
	case len(text) == 0:
		return refuse(problem.Empty, "a CSV, XLSX, NDJSON or JSON file", "the file is empty")
	case bytes.HasPrefix(head, compoundMagic):
		return refuse(problem.InvalidFormat, "an XLSX workbook without a password",
			"the file is protected by a password, or in the format .xls of before 2007; save it as an XLSX workbook "+
				"without a password")
	case media == XLSX && !isZIP:
		return refuse(problem.InvalidFormat, "an XLSX workbook",
			"the file is not an XLSX workbook; send it with the Content-Type of its format")
	case media != XLSX && isZIP:
		return refuse(problem.InvalidFormat, "a text file, or an XLSX workbook with its own Content-Type",
			"the file is a ZIP archive or a workbook, and not text; send a workbook with Content-Type: %s", XLSX)
	case text[0] == '<':
		return refuse(problem.InvalidFormat, "a CSV, XLSX, NDJSON or JSON file",
			"the file is a page of HTML or XML, which some programs name .csv or .xls; open it in a spreadsheet "+
				"program, and save it as a workbook or as CSV")
	}

	return nil
}
