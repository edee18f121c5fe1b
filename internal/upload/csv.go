package upload

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"strings"
)

const csvForm = "a CSV table (RFC 4180) with commas, semicolons, tabs or vertical bars"

// delimiters are the characters that may separate cells, the most likely first.
const delimiters = ",;\t|"

// readCSV reads a table.
func (r *reader) readCSV() error {
	if r.Sheet != "" {
		return wrongOption("sheet", r.Sheet, "no sheet: the file is not a workbook", "the file is not a workbook")
	}

	t, err := r.openText()
	if err != nil {
		return err
	}

	in := records{newline: '\n', line: 1, budget: r.budget}
	if !t.hasNewline {
		in.newline = '\r'
	}
	skipped, err := r.chooseDelimiter(t, &in)
	if err != nil {
		return err
	}
	r.table.Delimiter = string(in.comma)

	open := func() *records {
		opened := in
		opened.in = bufio.NewReaderSize(t.reader(), 32<<10)
		_, _ = opened.in.Discard(skipped) // a shorter file has no rows
		return &opened
	}
	if in.literal, err = isLiteral(open()); err != nil {
		return err
	}

	return r.readTable(func(each func(*Row) error) error {
		for in := open(); ; {
			cells, line, err := in.read()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err == nil {
				err = each(&Row{Line: line, Cells: cells})
			}
			if err != nil {
				return err
			}
		}
	})
}

// isLiteral reports whether the quotation marks of a table do not follow RFC 4180. Simple programs write such tables.
func isLiteral(r *records) (bool, error) {
	for {
		switch _, _, err := r.read(); {
		case errors.Is(err, io.EOF):
			return false, nil
		case r.budget.ctx.Err() != nil:
			return false, err
		case err != nil: // an unclosed quotation mark may cause any
			return true, nil
		}
	}
}

// chooseDelimiter chooses the delimiter that gives the most rows the same number of cells, more than one. Of several,
// it chooses the one that gives the most tax ids. A first line "sep=;" declares the delimiter to Excel; chooseDelimiter
// returns its length.
func (r *reader) chooseDelimiter(t *text, in *records) (skipped int, err error) {
	head := make([]byte, 64<<10)
	n, err := io.ReadFull(t.reader(), head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return 0, err
	}

	head = head[:n]
	if i := bytes.IndexByte(head, in.newline); i >= 0 {
		declared, isDeclared := strings.CutPrefix(strings.ToLower(strings.TrimSpace(string(head[:i]))), "sep=")
		if isDeclared && declared == "" { // a tab
			declared = "\t"
		}
		if isDeclared && len(declared) == 1 && strings.Contains(delimiters, declared) {
			in.comma, in.line = declared[0], 2
			return i + 1, nil
		}
	}

	best := fit{}
	in.comma = delimiters[0]
	for _, comma := range []byte(delimiters) {
		tried := *in
		tried.comma = comma
		fit, err := r.fitOf(tried, head)
		if err != nil {
			return 0, err
		}
		if fit.compare(best) > 0 {
			best, in.comma = fit, comma
		}
	}

	return 0, nil
}

// fit tells how well a delimiter divides a text: the number of rows with the same width, the number of tax ids in them,
// and the width.
type fit struct{ rows, ids, width int }

func (f fit) compare(other fit) int {
	return cmp.Or(cmp.Compare(f.rows, other.rows), cmp.Compare(f.ids, other.ids), cmp.Compare(f.width, other.width))
}

// fitOf returns how well a delimiter divides the start of a text.
func (r *reader) fitOf(in records, head []byte) (best fit, err error) {
	in.in = bufio.NewReader(bytes.NewReader(head))
	widths := make(map[int]fit)
	for range sampleRows {
		cells, _, err := in.read()
		switch {
		case errors.Is(err, errQuote):
			in.literal = true
			return r.fitOf(in, head)
		case r.budget.ctx.Err() != nil:
			return fit{}, err
		case err != nil: // the end, or a row that is refused later
			return widest(widths), nil
		}

		f := fit{widths[len(cells)].rows + 1, widths[len(cells)].ids, len(cells)}
		for _, cell := range cells {
			if r.IsTaxID(cell) {
				f.ids++
			}
		}
		widths[len(cells)] = f
	}

	return widest(widths), nil
}

// widest returns the best fit with more than one cell.
func widest(widths map[int]fit) (best fit) {
	for width, f := range widths {
		if width > 1 && f.compare(best) > 0 {
			best = f
		}
	}

	return best
}
