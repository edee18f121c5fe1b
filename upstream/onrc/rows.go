package onrc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// maxRow bounds a row, in bytes. The longest real ones have about 1,000.
const maxRow = 20 << 10

// rows reads a file of the trade register: UTF-8 with a byte order mark, a header, lines that end with CRLF, and cells
// separated by carets. There are no quotes, so a name may begin with a quotation mark. It joins rows that are split by
// a line break.
type rows struct {
	lines   *bufio.Reader
	columns map[string]int
	width   int
	cells   [][]byte
	pending []byte // the beginning of an incomplete row
	joined  []byte // the buffer of a row joined from several lines
	read    int64  // rows returned
	dropped reasons
}

// errHeader marks a file with an unexpected header.
var errHeader = errors.New("its header lacks a required column")

// readRows reads a file that must have the needed columns. They may be in any order, and among other columns.
func readRows(r io.Reader, needed []string, dropped reasons) (*rows, error) {
	rs := &rows{lines: bufio.NewReaderSize(r, 256<<10), columns: map[string]int{}, dropped: dropped}
	header, err := rs.line()
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("reading the header: %w", err)
	}

	header = bytes.TrimRight(bytes.TrimPrefix(header, []byte("\uFEFF")), "^ ")
	names := strings.Split(string(header), "^")
	for i, name := range names {
		rs.columns[strings.ToUpper(strings.TrimSpace(name))] = i
	}

	rs.width = len(names)
	for _, name := range needed {
		if _, ok := rs.columns[name]; !ok {
			return nil, fmt.Errorf("%w: among its %d columns, %s is missing", errHeader, rs.width, name)
		}
	}

	return rs, nil
}

// positions returns the positions of columns. A missing column has the position -1.
func (rs *rows) positions(names []string) []int {
	positions := make([]int, len(names))
	for i, name := range names {
		position, ok := rs.columns[name]
		if !ok {
			position = -1
		}

		positions[i] = position
	}

	return positions
}

// next returns the next row's cells, trimmed. They are valid until the next call. It returns io.EOF after the last row,
// or a read error.
func (rs *rows) next() ([][]byte, error) {
	for {
		line, err := rs.line()
		if err == io.EOF && rs.pending != nil {
			rs.pending = nil
			rs.dropped[brokenRow]++
		}
		if err != nil {
			return nil, err
		}
		if len(line) == 0 {
			continue
		}
		if row := rs.complete(line); row != nil {
			rs.read++
			return rs.split(row), nil
		}
	}
}

// complete returns the row that a line completes, or nil.
func (rs *rows) complete(line []byte) []byte {
	if rs.pending != nil {
		rs.joined = append(append(append(rs.joined[:0], rs.pending...), ' '), line...)
		switch n := rs.count(rs.joined); {
		case len(rs.joined) > maxRow:
		case n == rs.width:
			rs.pending = nil
			rs.dropped[joinedRow]++
			return rs.joined
		case n < rs.width:
			rs.pending = append(rs.pending[:0], rs.joined...)
			return nil
		}

		rs.pending = nil // it never got all its cells, so the line is a new row
		rs.dropped[brokenRow]++
	}

	switch n := rs.count(line); {
	case n == rs.width:
		return line
	case n > rs.width:
		rs.dropped[wideRow]++
	default:
		rs.pending = slices.Clone(line)
	}

	return nil
}

// count returns the number of cells of a line, without empty cells beyond the header's width.
func (rs *rows) count(line []byte) int {
	n := bytes.Count(line, caret) + 1
	for n > rs.width && bytes.HasSuffix(line, caret) {
		line = line[:len(line)-1]
		n--
	}
	return n
}

var caret = []byte("^")

func (rs *rows) split(row []byte) [][]byte {
	rs.cells = rs.cells[:0]
	for len(rs.cells) < rs.width {
		cell, rest, _ := bytes.Cut(row, caret)
		rs.cells = append(rs.cells, bytes.TrimSpace(cell))
		row = rest
	}

	return rs.cells
}

// line returns the next line without its terminator. It skips lines that are too long.
func (rs *rows) line() ([]byte, error) {
	for {
		line, err := rs.lines.ReadSlice('\n')
		tooLong := len(line) > maxRow
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = rs.lines.ReadSlice('\n')
		}

		switch {
		case err != nil && (err != io.EOF || len(line) == 0):
			return nil, err
		case tooLong:
			rs.dropped[longRow]++
			if err == io.EOF {
				return nil, err
			}
		default:
			return bytes.TrimRight(line, "\r\n"), nil
		}
	}
}
