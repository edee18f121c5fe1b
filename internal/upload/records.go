package upload

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/rodata/rodata/op/problem"
)

// records reads the rows of CSV with their cells as they are: encoding/csv changes line breaks in cells, reads a row of
// any length into memory, and knows neither files with CR alone nor spaces before a quotation mark.
type records struct {
	in      *bufio.Reader
	comma   byte
	newline byte // the last byte of a line break
	// literal: quotation marks that do not follow RFC 4180 are ordinary characters, and cells do not span lines. If
	// they could, a single quotation mark would swallow rows. Otherwise, such a quotation mark is errQuote.
	literal bool
	line    int // of the next row
	budget  *budget

	text  []byte
	ends  []int // of the cells in text
	cells []string
}

var errQuote = errors.New("a quotation mark inside a cell")

// read returns the next row and its line. The cells are valid until the next call, and their texts remain valid. The
// error is io.EOF after the last row.
func (r *records) read() (cells []string, line int, err error) {
	r.text, r.ends, line = r.text[:0], r.ends[:0], r.line
	for {
		last, err := r.readCell(line)
		if errors.Is(err, io.EOF) && len(r.ends) == 0 && len(r.text) == 0 {
			return nil, line, io.EOF
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, line, err
		}
		if err := r.endCell(line); err != nil {
			return nil, line, err
		}
		if last {
			break
		}
	}

	all, from := string(r.text), 0
	r.cells = r.cells[:0]
	for _, end := range r.ends {
		r.cells, from = append(r.cells, all[from:end]), end
	}

	return r.cells, line, nil
}

// endCell ends the cell that was read. Empty cells right of the last column do not count.
func (r *records) endCell(line int) error {
	from := 0
	if len(r.ends) > 0 {
		from = r.ends[len(r.ends)-1]
	}
	if len(r.ends) < maxColumns {
		r.ends = append(r.ends, len(r.text))
	} else if len(bytes.TrimSpace(r.text[from:])) > 0 {
		return tooWide(line)
	} else {
		r.text = r.text[:from]
	}

	return r.budget.step(1 + (len(r.text)-from)/stepBytes)
}

// readCell reads a cell into text. It reports whether it is the last one of its row; the error is io.EOF at the end of
// the file.
func (r *records) readCell(line int) (last bool, err error) {
	from := len(r.text)
	if opened, err := r.opensQuote(); err != nil {
		return true, err
	} else if opened {
		return r.readQuoted(line)
	}

	for {
		c, err := r.next(line)
		switch {
		case err != nil:
			return true, err
		case c == r.comma:
			return false, nil
		case c == '\n', c == r.newline:
			r.line++
			return true, nil
		case c == '\r' && r.follows("\n"):
		case c == '"' && !r.literal && !bytes.HasPrefix(r.text[from:], []byte("=")): // ="0012" keeps zeros
			return true, errQuote
		default:
			r.text = append(r.text, c)
		}
	}
}

// opensQuote reports whether the next cell is in quotation marks, and reads the first one with the spaces before it.
func (r *records) opensQuote() (bool, error) {
	const mostSpaces = 16
	for n := 1; n <= mostSpaces; n++ {
		ahead, err := r.in.Peek(n)
		switch {
		case len(ahead) < n && !errors.Is(err, io.EOF):
			return false, err
		case len(ahead) < n:
			return false, nil
		case ahead[n-1] == '"':
			_, err := r.in.Discard(n)
			return true, err
		case ahead[n-1] != ' ':
			return false, nil
		}
	}

	return false, nil
}

// readQuoted is like readCell, after the quotation mark that begins a cell.
func (r *records) readQuoted(line int) (last bool, err error) {
	closed, spaces := false, 0
	for {
		c, err := r.next(line)
		switch {
		case err != nil && !closed && errors.Is(err, io.EOF):
			return true, r.unclosedQuote(line)
		case err != nil:
			return true, err
		case !closed && c == '"':
			closed, spaces = true, 0
		case !closed:
			if c == '\n' || c == r.newline {
				r.line++
				if r.literal {
					return true, r.unclosedQuote(line)
				}
			}
			r.text = append(r.text, c)
		case c == '"' && spaces == 0:
			closed, r.text = false, append(r.text, c)
		case c == r.comma:
			return false, nil
		case c == '\n', c == r.newline:
			r.line++
			return true, nil
		case c == ' ':
			spaces++
		case c == '\r' && r.follows("\n"):
		case r.literal:
			closed, r.text = false, append(append(append(r.text, '"'), strings.Repeat(" ", spaces)...), c)
		default:
			return true, errQuote
		}
	}
}

// unclosedQuote is the error of a cell whose quotation marks are not closed.
func (r *records) unclosedQuote(line int) error {
	if !r.literal {
		return errQuote
	}
	return refuse(problem.Malformed, csvForm,
		`row %d has a cell that begins with a quotation mark and does not end in its line; `+
			`write such a cell in quotation marks and each of its own twice, as """ALFA"" SRL"`, rowNumber(line))
}

func (r *records) next(line int) (byte, error) {
	c, err := r.in.ReadByte()
	switch {
	case err != nil:
		return 0, err
	case c == 0:
		return 0, refuse(problem.InvalidEncoding, "text in UTF-8, UTF-16, Windows-1250 or CP852",
			"the file is not text: row %d has a zero byte", rowNumber(line))
	case len(r.text) > maxRow:
		return 0, tooLongRow(line)
	}

	return c, nil
}

func (r *records) follows(next string) bool {
	ahead, _ := r.in.Peek(len(next))
	return string(ahead) == next
}
