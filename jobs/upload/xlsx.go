package upload

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rodata/rodata/api/problem"
)

const workbookForm = "an XLSX workbook (ECMA-376) whose first sheet is a table"

// readXLSX reads the first visible sheet of a workbook row by row, so it never holds a whole sheet in memory.
func (r *reader) readXLSX(file []byte) error {
	w, err := openWorkbook(file)
	if err != nil {
		return err
	}

	sheet, err := w.open(w.sheet)
	if err != nil {
		return err
	}
	defer sheet.Close()

	s := &sheetReader{reader: r, workbook: w, dec: xml.NewDecoder(sheet)}
	if err := s.read(); err != nil {
		return problemOf(err)
	}

	return nil
}

// sheetReader reads the rows of a sheet.
type sheetReader struct {
	*reader
	*workbook
	dec        *xml.Decoder
	begun      bool // the first row has been read
	row        int  // the row's number
	cells      []string
	uncomputed []bool // whether a cell has a formula without a value
	next       int    // the column of the next cell without a reference
}

func (s *sheetReader) read() error {
	for {
		t, err := s.dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}

		start, ok := t.(xml.StartElement)
		if !ok || start.Name.Local != "row" {
			continue
		}

		s.row++
		if n, err := strconv.Atoi(attribute(start, "r")); err == nil && n > 0 {
			s.row = n
		}
		if err := s.readRow(); err != nil {
			return err
		}
	}
}

// readRow reads the cells of a row and emits the row.
func (s *sheetReader) readRow() error {
	s.cells, s.uncomputed, s.next = s.cells[:0], s.uncomputed[:0], 0
	for {
		t, err := s.dec.Token()
		if err != nil {
			return err
		}

		switch t := t.(type) {
		case xml.EndElement:
			if t.Name.Local == "row" {
				return s.emitRow()
			}
		case xml.StartElement:
			if t.Name.Local != "c" {
				continue
			}
			if err := s.readCell(t); err != nil {
				return err
			}
		}
	}
}

// readCell appends a cell at its column.
func (s *sheetReader) readCell(start xml.StartElement) error {
	var c cellXML
	if err := s.dec.DecodeElement(&c, &start); err != nil {
		return err
	}

	text, err := s.text(&c)
	if err != nil {
		return refuse(problem.Malformed, workbookForm, "the cell %s cannot be read: %v", c.Reference, err)
	}

	column := s.next
	if c.Reference != "" {
		column = columnOf(c.Reference)
	}

	s.next = column + 1
	uncomputed := c.Formula != nil && text == ""
	if text == "" && !uncomputed {
		return nil
	}

	if column < 0 || column >= maxColumns {
		return refuse(problem.TooMany, fmt.Sprintf("at most %d columns", maxColumns),
			"the cell %s stands right of the last column that is read, which is the %dth", c.Reference, maxColumns)
	}

	for len(s.cells) <= column {
		s.cells, s.uncomputed = append(s.cells, ""), append(s.uncomputed, false)
	}

	s.cells[column], s.uncomputed[column] = text, uncomputed
	return nil
}

// emitRow emits the row. The first one that is not empty may be the header.
func (s *sheetReader) emitRow() error {
	if strings.TrimSpace(strings.Join(s.cells, "")) == "" && !slices.Contains(s.uncomputed, true) {
		return nil
	}

	if !s.begun {
		s.begun = true
		isHeader, err := s.readHeader(s.cells)
		if err != nil || isHeader {
			return err
		}
	}

	if id := s.table.ID; id < len(s.uncomputed) && s.uncomputed[id] {
		return refuse(problem.InvalidFormat, "tax ids as values",
			"row %d has a formula without a value in the column %s; open the workbook in a spreadsheet program, "+
				"which computes it, and save it", s.row, problem.Quoted(s.table.Columns[id]))
	}

	return s.emit(s.cells, s.row)
}

// cellXML is a cell: ECMA-376 part 1, 18.3.1.4.
type cellXML struct {
	Reference string   `xml:"r,attr"`
	Type      string   `xml:"t,attr"`
	Style     int      `xml:"s,attr"`
	Formula   *string  `xml:"f"`
	Value     string   `xml:"v"`
	Inline    *textXML `xml:"is"`
}

// columnOf returns the index of the column in a reference such as AB12. It is negative if the reference is malformed.
func columnOf(reference string) int {
	column := 0
	for i := range len(reference) {
		c := reference[i] | 0x20
		if c < 'a' || c > 'z' {
			break
		}
		if column = column*26 + int(c-'a') + 1; column > 1<<20 {
			return -1
		}
	}

	return column - 1
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}

	return ""
}
