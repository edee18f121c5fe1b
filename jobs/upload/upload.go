// Package upload reads the files of jobs: CSV, XLSX, NDJSON and JSON. It finds the column of tax ids, and passes on the
// rows one by one, with all their cells as texts. If a file cannot be read, the error names the row and the reason.
package upload

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
)

// Media types of the files.
const (
	CSV    = "text/csv"
	XLSX   = api.XLSXType
	NDJSON = api.NDJSONType
	JSON   = "application/json"
)

// Limits bound a file.
type Limits struct {
	// Rows is the maximum number of rows, without the header. Default 200,000.
	Rows int
}

const (
	defaultRows = 200_000
	maxColumns  = 200
	// maxCell is the maximum number of characters in a cell. Spreadsheets have the same limit:
	// https://support.microsoft.com/office/1672b34d-7043-467e-8e27-269d656771c3
	maxCell = 32_767
)

// Table describes a file that has been read.
type Table struct {
	// Columns are the names of the columns, all different.
	Columns []string
	// ID is the index of the column of tax ids, and Date the index of the column named date. They are negative if there
	// is no such column.
	ID, Date int
	// Rows is the number of rows.
	Rows int
}

// Read reads a file of one of the media types. It calls each with the cells of every row that is not empty. The cells
// are only valid during the call, and a row may have fewer cells than the table has columns. The argument column is the
// name or the number, from 1, of the column of tax ids; if it is empty, Read finds the column by its name. Errors in
// the file are a *problem.Problem. An error from each is returned unchanged.
func Read(file []byte, media, column string, limits Limits, each func(cells []string) error) (Table, error) {
	r := &reader{column: column, maxRows: cmp.Or(limits.Rows, defaultRows), each: each, table: Table{ID: -1, Date: -1}}
	err := r.read(file, media)
	if err == nil && r.table.Rows == 0 {
		err = refuse(problem.Empty, "a file with at least one row",
			"the file has no rows below the names of its columns")
	}

	return r.table, err
}

// reader reads a file and emits its rows.
type reader struct {
	column  string // as chosen by the caller
	maxRows int
	each    func([]string) error
	table   Table
}

func (r *reader) read(file []byte, media string) error {
	if len(bytes.TrimSpace(file)) == 0 {
		return refuse(problem.Empty, "a CSV, XLSX, NDJSON or JSON file", "the file is empty")
	}
	if err := checkContent(file, media); err != nil {
		return err
	}
	if media == XLSX {
		return r.readXLSX(file)
	}

	text, err := decode(file)
	if err != nil {
		return err
	}

	switch media {
	case NDJSON:
		return r.readNDJSON(text)
	case JSON:
		return r.readJSON(text)
	}

	return r.readCSV(text)
}

// The first bytes of ZIP files, and of compound files. Excel uses compound files for encrypted workbooks and for the
// format before 2007: [MS-CFB] 2.2, [MS-OFFCRYPTO] 2.3.
var (
	zipMagic      = []byte("PK\x03\x04")
	compoundMagic = []byte{0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1}
)

// checkContent refuses a file whose first bytes contradict its media type.
func checkContent(file []byte, media string) error {
	isZIP := bytes.HasPrefix(file, zipMagic)
	switch {
	case bytes.HasPrefix(file, compoundMagic):
		return refuse(problem.InvalidFormat, "an XLSX workbook without a password",
			"the file is protected by a password, or in the format .xls of before 2007; save it as an XLSX workbook "+
				"without a password")
	case media == XLSX && !isZIP:
		return refuse(problem.InvalidFormat, "an XLSX workbook",
			"the file is not an XLSX workbook; send it with the Content-Type of its format")
	case media != XLSX && isZIP:
		return refuse(problem.InvalidFormat, "a text file, or an XLSX workbook with its own Content-Type",
			"the file is a ZIP archive or a workbook, and not text; send a workbook with Content-Type: %s", XLSX)
	}

	return nil
}

// emit checks a row and passes it on, unless it is empty. The line is the row's position in the file, from 1.
func (r *reader) emit(cells []string, line int) error {
	for len(cells) > 0 && strings.TrimSpace(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	if len(cells) == 0 || strings.TrimSpace(strings.Join(cells, "")) == "" {
		return nil
	}
	if len(cells) > len(r.table.Columns) {
		return refuse(problem.Malformed, "rows with as many cells as there are columns",
			"row %d has %d cells, and the table has %d columns", line, len(cells), len(r.table.Columns))
	}

	for i, cell := range cells {
		if len(cell) > maxCell && utf8.RuneCountInString(cell) > maxCell {
			return refuse(problem.TooLong, fmt.Sprintf("cells of at most %d characters", maxCell),
				"the cell of row %d in the column %s has more than %d characters", line,
				problem.Quoted(r.table.Columns[i]), maxCell)
		}
	}

	if r.table.Rows++; r.table.Rows > r.maxRows {
		return refuse(problem.TooMany, fmt.Sprintf("at most %d rows", r.maxRows),
			"the file has more than %d rows: row %d is one too many; split it into several jobs", r.maxRows, line)
	}

	return r.each(cells)
}

// refuse returns the problem of a file that cannot be read.
func refuse(code problem.InputCode, accepted, reason string, args ...any) error {
	return problem.Invalid(&problem.InputError{Parameter: "file", Code: code, Accepted: accepted,
		Reason: fmt.Sprintf(reason, args...)})
}
