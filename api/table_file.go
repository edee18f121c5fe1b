package api

import (
	"bytes"
	"encoding/csv"
	"strings"
)

// Table asks for rows as CSV (RFC 4180) in place of JSON.
type Table struct {
	// Delimiter separates the cells: a comma, a semicolon or a tab. With a semicolon the
	// file begins with a byte order mark: that is what a spreadsheet in Romanian opens
	// correctly.
	Delimiter rune
}

const (
	csvType       = "text/csv; charset=utf-8"
	byteOrderMark = "\ufeff"
)

// document is a table of rows under a line with the names of the columns.
func (t *Table) document(columns []string, rows []Row, name string) *Document {
	var text bytes.Buffer
	if t.Delimiter == ';' {
		text.WriteString(byteOrderMark)
	}
	w := csv.NewWriter(&text)
	w.Comma, w.UseCRLF = t.Delimiter, true
	_ = w.Write(columns) // a buffer takes everything
	for _, row := range rows {
		cells := row.Cells()
		for i := range cells {
			cells[i] = inert(cells[i])
		}
		_ = w.Write(cells)
	}

	w.Flush()
	return NewFile(text.Bytes(), csvType, name)
}

// inert keeps a spreadsheet from taking a text for a formula.
func inert(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}
