package upload

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/op/problem"
)

// readXLSX reads a sheet of a workbook row by row: of those that may have the table, the one with the most tax ids.
func (r *reader) readXLSX() error {
	w, err := r.openWorkbook()
	defer w.close()
	if err != nil {
		return err
	}

	names := visibleNames(w.sheets)
	sheets, err := r.chooseSheets(w)
	if err != nil {
		r.table.Sheets = names
		return err
	}

	best := sheetTable{ids: -1}
	for _, s := range sheets {
		f, err := r.findTable(w, s)
		if err != nil {
			return err
		}
		if f.ids > best.ids || f.ids == best.ids && f.problem == nil && best.problem != nil {
			best = f
		}
	}

	r.table, r.skip, r.grows = best.table, best.skip, true
	if r.table.Sheet, r.table.Sheets = best.sheet.name, names; best.problem != nil {
		return best.problem
	}

	return r.emitAll(func(each func(*Row) error) error { return w.rows(best.sheet, each) })
}

// sheetTable is the table found in a sheet, or the problem with it. ids is the number of tax ids in its first rows: the
// sheet with the most is read, because a cover sheet may contain a tax id, too, and its problem is the one that counts.
type sheetTable struct {
	sheet   sheet
	table   Table
	skip    int
	ids     int
	problem error
}

// findTable finds the table in a sheet, or the problem with it. The error is that of a file that cannot be read.
func (r *reader) findTable(w *workbook, s sheet) (sheetTable, error) {
	r.table = Table{ID: -1, Date: -1, Reference: -1}
	first, err := r.sample(func(each func(*Row) error) error { return w.rows(s, each) })
	if err == nil {
		err = r.layOut(first)
	}
	if err != nil && !isProblem(err) {
		return sheetTable{}, err
	}

	f := sheetTable{sheet: s, table: r.table, skip: r.skip, problem: err}
	for _, x := range first {
		if id := f.table.ID; id >= 0 && id < len(x.Cells) && r.IsTaxID(x.Cells[id]) {
			f.ids++
		}
	}
	return f, nil
}

// chooseSheets returns the sheets that may have the table: the caller's choice, or the visible ones.
func (r *reader) chooseSheets(w *workbook) ([]sheet, error) {
	if r.Sheet == "" {
		visible := slices.DeleteFunc(slices.Clone(w.sheets), func(s sheet) bool { return s.hidden })
		if len(visible) == 0 {
			return nil, refuse(problem.Empty, workbookForm, "the workbook has no visible sheet")
		}
		return visible, nil
	}

	names := make([]string, len(w.sheets))
	for i, s := range w.sheets {
		if names[i] = s.name; strings.EqualFold(strings.TrimSpace(s.name), r.Sheet) {
			return w.sheets[i : i+1], nil
		}
	}
	if n := number(r.Sheet); n >= 1 && n <= len(w.sheets) {
		return w.sheets[n-1 : n], nil
	}

	return nil, wrongOption("sheet", r.Sheet, "the name of a sheet of the workbook, or its number from 1",
		"the workbook has no such sheet; it has "+quoteNames(names))
}

func visibleNames(sheets []sheet) (names []string) {
	for _, s := range sheets {
		if !s.hidden {
			names = append(names, s.name)
		}
	}
	return names
}

// sheetReader reads the rows of a sheet.
type sheetReader struct {
	*part
	row  Row
	next int // the column of the next cell without a reference
}

// rows calls a function with the rows of a sheet.
func (w *workbook) rows(s sheet, each func(*Row) error) error {
	p, err := w.open(s.file)
	if err != nil {
		return err
	}
	defer p.close()

	in := &sheetReader{part: p}
	for {
		t, err := p.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}

		e, ok := t.(xml.StartElement)
		if !ok || e.Name.Local != "row" {
			continue
		}

		if in.row.Line++; number(attribute(e, "r")) > 0 {
			in.row.Line = number(attribute(e, "r"))
		}
		if err := in.readRow(); err != nil {
			return err
		}
		if err := each(&in.row); err != nil {
			return err
		}
	}
}

// readRow reads the cells of the row that has begun.
func (s *sheetReader) readRow() error {
	s.row.Cells, s.row.Kinds, s.next = s.row.Cells[:0], s.row.Kinds[:0], 0
	size := 0
	for end := s.depth - 1; s.depth > end; {
		t, err := s.part.next()
		if err != nil {
			return err
		}

		e, ok := t.(xml.StartElement)
		if !ok || e.Name.Local != "c" {
			continue
		}

		n, err := s.readCell(e)
		if err != nil {
			return err
		}
		if size += n; size > maxRow {
			return tooLongRow(s.row.Line)
		}
	}

	return nil
}

// readCell puts a cell at its column, and returns its size.
func (s *sheetReader) readCell(e xml.StartElement) (size int, err error) {
	c := cell{kind: attribute(e, "t"), style: number(attribute(e, "s"))}
	for end := s.depth - 1; s.depth > end; {
		t, err := s.part.next()
		if err != nil {
			return 0, err
		}

		if e, ok := t.(xml.StartElement); ok {
			switch e.Name.Local {
			case "f":
				c.isFormula = true
			case "v":
				c.value, err = s.text(true)
			case "is":
				c.inline, err = s.text(false)
			}
			if err != nil {
				return 0, err
			}
		}
	}

	column, name := s.next, strconv.Itoa(s.next+1)
	if reference := attribute(e, "r"); reference != "" {
		column, name = columnOf(reference), strings.TrimRight(reference, "0123456789")
	}

	text, kind, err := s.workbook.valueOf(&c)
	if err != nil {
		return 0, refuse(problem.Malformed, workbookForm, "the cell of row %d in the column %q cannot be read: %v",
			rowNumber(s.row.Line), shownColumn(name), err)
	}
	if s.next = column + 1; text == "" && kind != uncomputed {
		return 0, nil
	}
	if column < 0 || column >= maxColumns {
		return 0, refuse(problem.TooMany, workbookForm,
			"the cell of row %d in the column %q is right of the last column that is read, the %dth",
			rowNumber(s.row.Line), shownColumn(name), maxColumns)
	}

	for len(s.row.Cells) <= column {
		s.row.Cells, s.row.Kinds = append(s.row.Cells, ""), append(s.row.Kinds, table.Other)
	}
	s.row.Cells[column], s.row.Kinds[column] = text, kind
	return len(text), nil
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
