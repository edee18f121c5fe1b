package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"io"
	"regexp"
	"strings"
)

const byteOrderMark = "\ufeff"

// csvWriter writes CSV.
type csvWriter struct {
	out     *bufio.Writer
	line    bytes.Buffer // the row as csv writes it
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
	t := &csvWriter{out: out, columns: columns, row: make([]string, len(columns))}
	t.csv = csv.NewWriter(&t.line)
	t.csv.Comma = delimiter
	if delimiter == ';' {
		_, _ = out.WriteString(byteOrderMark) // the writers keep their first error for Close
	}

	for i, column := range columns {
		t.row[i] = inert(column.Name)
	}

	_ = t.writeRow()
	return t
}

// writeRow writes the row with CRLF at its end. The option UseCRLF of csv would also change the line breaks in cells.
func (t *csvWriter) writeRow() error {
	if err := t.csv.Write(t.row); err != nil {
		return err
	}

	t.csv.Flush()
	t.line.Truncate(t.line.Len() - len("\n"))
	t.line.WriteString("\r\n")
	_, err := t.line.WriteTo(t.out)
	return err
}

// Write implements Writer.
func (t *csvWriter) Write(cells []string, _ ...Kind) error {
	if err := checkWidth(cells, t.columns); err != nil {
		return err
	}

	for i, cell := range cells {
		if t.row[i] = inert(cell); t.columns[i].Kind == Number && t.csv.Comma == ';' && number.MatchString(cell) {
			t.row[i] = strings.Replace(cell, ".", ",", 1)
		}
	}

	return t.writeRow()
}

// Close implements Writer.
func (t *csvWriter) Close() error {
	return t.out.Flush()
}

// DelimiterFor returns the delimiter of the answer to a CSV file: that of the file, or a comma if NewCSV does not write
// it.
func DelimiterFor(file string) rune {
	if file == ";" || file == "\t" {
		return rune(file[0])
	}
	return ','
}

// number matches a number as people in any country write it. Spreadsheets do not treat it as a formula.
var number = regexp.MustCompile(`^[-+]?[0-9 .,]+([eE][-+]?[0-9]+)?%?$`)

// constant matches a formula that consists of a quoted text, such as ="0012". People write it to keep leading zeros.
var constant = regexp.MustCompile(`^="[\pL\pN][\pL\pN ./-]*"$`)

// inert keeps a spreadsheet from treating a text as a formula (https://owasp.org/www-community/attacks/CSV_Injection,
// and OWASP ASVS 5.0, 1.2.10, 2026-11-26). Some spreadsheets treat full-width signs like the ordinary ones. Numbers and
// constants are not changed.
func inert(cell string) string {
	if strings.IndexAny(cell, "=+-@\t\r\n\x00＝＋－＠") == 0 && !number.MatchString(cell) && !constant.MatchString(cell) {
		return "'" + cell
	}
	return cell
}
