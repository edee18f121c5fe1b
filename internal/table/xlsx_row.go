package table

import (
	"bytes"
	"encoding/xml"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"
)

// exactDigits is the number of decimal digits that a numeric cell stores exactly, because cells are 64-bit floats.
const exactDigits = 15

// Excel stores a date as the number of days since dayZero. This is correct only from firstExcelDay on, because Excel
// treats 1900 as a leap year.
var (
	dayZero       = time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)
	firstExcelDay = time.Date(1900, time.March, 1, 0, 0, 0, 0, time.UTC)
)

// xlsxRow encodes a row of a sheet (ECMA-376, part 1, 18.3.1.73). It is used again for each row.
type xlsxRow struct {
	names     []string // of the columns: A, B, ...
	day, time int      // styles of dates and times
	number    []byte   // of the row
	xml       bytes.Buffer
	plain     []byte // text to be escaped
}

// columnNames returns the names of the first n columns.
func columnNames(n int) (names []string, err error) {
	names = make([]string, n)
	for i := range names {
		if names[i], err = excelize.ColumnNumberToName(i + 1); err != nil {
			return nil, err
		}
	}

	return names, nil
}

// begin starts a row.
func (r *xlsxRow) begin(number int) {
	r.number = strconv.AppendInt(r.number[:0], int64(number), 10)
	r.xml.Reset()
	r.xml.WriteString(`<row r="`)
	r.xml.Write(r.number)
	r.xml.WriteString(`">`)
}

// end returns the row, which is valid until the next one begins.
func (r *xlsxRow) end() []byte {
	r.xml.WriteString("</row>")
	return r.xml.Bytes()
}

// cell adds a cell, unless it is empty. A cell that does not have the type of its column is stored as a text.
func (r *xlsxRow) cell(column int, kind Kind, cell string) {
	switch {
	case cell == "":
	case kind == Integer && r.integer(column, cell):
	case kind == Number && r.decimal(column, cell):
	case kind == Date && r.date(column, cell):
	case kind == Time && r.dateTime(column, cell):
	case kind == Flag && r.flag(column, cell):
	default:
		r.text(column, 0, cell)
	}
}

func (r *xlsxRow) integer(column int, cell string) bool {
	n, err := strconv.ParseInt(cell, 10, 64)
	if err != nil || len(cell) > exactDigits {
		return false
	}

	r.value(column, 0, "", strconv.AppendInt(r.plain[:0], n, 10))
	return true
}

func (r *xlsxRow) decimal(column int, cell string) bool {
	n, err := strconv.ParseFloat(cell, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return false
	}

	r.value(column, 0, "", strconv.AppendFloat(r.plain[:0], n, 'G', -1, 64))
	return true
}

func (r *xlsxRow) date(column int, cell string) bool {
	day, err := time.Parse(time.DateOnly, cell)
	if err != nil || day.Before(firstExcelDay) {
		return false
	}

	r.value(column, r.day, "", strconv.AppendInt(r.plain[:0], (day.Unix()-dayZero.Unix())/secondsOfDay, 10))
	return true
}

func (r *xlsxRow) dateTime(column int, cell string) bool {
	at, err := time.Parse(time.DateTime, cell)
	if err != nil || at.Before(firstExcelDay) {
		return false
	}

	days := float64(at.Unix()-dayZero.Unix()) / secondsOfDay
	r.value(column, r.time, "", strconv.AppendFloat(r.plain[:0], days, 'f', -1, 64))
	return true
}

func (r *xlsxRow) flag(column int, cell string) bool {
	yes, err := parseFlag(cell)
	if err != nil {
		return false
	}

	bit := byte('0')
	if yes {
		bit = '1'
	}

	r.value(column, 0, "b", append(r.plain[:0], bit))
	return true
}

// value adds a cell with a number, for which kind is empty, or with a flag.
func (r *xlsxRow) value(column, style int, kind string, value []byte) {
	r.open(column, style, kind)
	r.xml.WriteString("<v>")
	r.xml.Write(value)
	r.xml.WriteString("</v></c>")
	r.plain = value
}

// text adds a cell that is shown unchanged, even if it looks like a formula.
func (r *xlsxRow) text(column, style int, text string) {
	r.open(column, style, "inlineStr")
	r.xml.WriteString(`<is><t xml:space="preserve">`)
	r.plain = appendCellText(r.plain[:0], text)
	_ = xml.EscapeText(&r.xml, r.plain) // a buffer takes everything
	r.xml.WriteString("</t></is></c>")
}

func (r *xlsxRow) open(column, style int, kind string) {
	r.xml.WriteString(`<c r="`)
	r.xml.WriteString(r.names[column])
	r.xml.Write(r.number)
	if style != 0 {
		r.xml.WriteString(`" s="`)
		r.xml.Write(strconv.AppendInt(r.xml.AvailableBuffer(), int64(style), 10))
	}
	if kind != "" {
		r.xml.WriteString(`" t="`)
		r.xml.WriteString(kind)
	}

	r.xml.WriteString(`">`)
}

// appendCellText appends a text as stored in a cell: truncated to the maximum length of a cell, and with _x005F_ for
// each underscore that would otherwise begin an escape (ECMA-376, part 1, 22.9.2.19).
func appendCellText(b []byte, text string) []byte {
	text = cutToCell(text)
	for {
		at := strings.Index(text, "_x")
		if at < 0 {
			return append(b, text...)
		}

		b = append(b, text[:at]...)
		if text = text[at:]; isEscape(text) {
			b = append(b, "_x005F"...)
		}

		b, text = append(b, '_'), text[1:]
	}
}

// isEscape reports whether a text begins with an escape: _x, four hexadecimal digits, and _.
func isEscape(text string) bool {
	if len(text) < len("_x0000_") || text[6] != '_' {
		return false
	}

	_, err := strconv.ParseUint(text[2:6], 16, 16)
	return err == nil
}

// cutToCell truncates a text to the maximum length of a cell, which is in UTF-16 code units.
func cutToCell(text string) string {
	if len(text) <= excelize.TotalCellChars {
		return text
	}

	units := 0
	for i, c := range text {
		if units += utf16.RuneLen(c); units > excelize.TotalCellChars {
			return text[:i]
		}
	}

	return text
}
