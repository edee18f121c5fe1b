package table

import (
	"bufio"
	"encoding/csv"
	"io"
	"strconv"
	"strings"
)

const byteOrderMark = "\ufeff"

// csvWriter writes CSV.
type csvWriter struct {
	out     *bufio.Writer
	csv     *csv.Writer
	columns []Column
	row     []string
}

// NewCSV returns a Writer of CSV (RFC 4180) with the names of the columns in the first line. The delimiter is a comma,
// a semicolon or a tab. With a semicolon, the file begins with a byte order mark and numbers have a decimal comma,
// because spreadsheets in Romanian expect this; they may read 5.2344 as a month. Cells that a spreadsheet would treat
// as formulas get a leading apostrophe.
func NewCSV(w io.Writer, columns []Column, delimiter rune) Writer {
	out := bufio.NewWriterSize(w, 64<<10)
	t := &csvWriter{out: out, csv: csv.NewWriter(out), columns: columns, row: make([]string, len(columns))}
	t.csv.Comma, t.csv.UseCRLF = delimiter, true
	if delimiter == ';' {
		_, _ = out.WriteString(byteOrderMark) // the writers keep their first error for Close
	}

	for i, column := range columns {
		t.row[i] = inert(column.Name)
	}

	_ = t.csv.Write(t.row)
	return t
}

// Write implements Writer.
func (t *csvWriter) Write(cells []string) error {
	if err := checkWidth(cells, t.columns); err != nil {
		return err
	}

	for i, cell := range cells {
		switch kind := t.columns[i].Kind; {
		case !kind.harmless(cell):
			t.row[i] = inert(cell)
		case kind == Number && t.csv.Comma == ';':
			t.row[i] = strings.Replace(cell, ".", ",", 1)
		default:
			t.row[i] = cell
		}
	}

	return t.csv.Write(t.row)
}

// Close implements Writer.
func (t *csvWriter) Close() error {
	t.csv.Flush()
	if err := t.csv.Error(); err != nil {
		return err
	}
	return t.out.Flush()
}

// harmless reports whether a cell is a number in a numeric column. Such a cell may begin with a minus sign although
// spreadsheets treat other texts with one as formulas.
func (k Kind) harmless(cell string) bool {
	switch k {
	case Integer:
		_, err := strconv.ParseInt(cell, 10, 64)
		return err == nil
	case Number:
		_, err := strconv.ParseFloat(cell, 64)
		return err == nil
	}

	return false
}

// inert keeps a spreadsheet from treating a text as a formula (https://owasp.org/www-community/attacks/CSV_Injection,
// 2026-11-23).
func inert(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}
