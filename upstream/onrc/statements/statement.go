// Package statements keeps the yearly financial statements of companies, as the Ministry of Finance publishes them in
// bulk.
//
// # Files
//
// The directory has one file for each year and family, such as 2025-uu.statements, and catalog.json ([Catalog]). All
// fixed-size numbers are little-endian:
//
//	"rodatas2", 8 bytes
//	for each statement a varint with a bit for each stated figure, and these figures as signed varints
//	an entry for each statement, by ascending CUI: the CUI and the activity in 8 bytes, of which the activity takes
//	  the lowest two, and in 4 bytes the offset of its figures
//	a description of the source, in JSON
//	the number of statements, the length of the description, and the CRC-32 (IEEE) of everything before it,
//	  4 bytes each
//
// Files are only replaced as a whole. Format 1 had a file for each year, in which an empty figure was 0; these files
// are not read.
package statements

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strconv"
	"strings"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
)

// Families are the families of files, each of companies that file the same form: those that have the general form.
// Banks, insurers and associations use other forms. If a company is in several files of a year, the first one counts.
var Families = []company.SheetForm{company.LargeForm, company.IFRSForm, company.SmallForm}

// Key identifies the files of a year and a family.
type Key struct {
	Year   int
	Family company.SheetForm
}

// String returns the key as in the names of files: 2025-uu.
func (k Key) String() string { return strconv.Itoa(k.Year) + "-" + string(k.Family) }

// MarshalText returns the key as String does.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText parses a key.
func (k *Key) UnmarshalText(text []byte) error {
	year, family, _ := strings.Cut(string(text), "-")
	n, err := strconv.Atoi(year)
	if *k = (Key{n, company.SheetForm(family)}); err != nil || k.rank() < 0 || k.String() != string(text) {
		return fmt.Errorf("%.100q is not a year and a family of statements", text)
	}
	return nil
}

// Statement is a company's statement for a year.
type Statement struct {
	CUI ro.CUI
	// File is the file of the statement. Statements that are read from the ministry's files have none yet.
	File *File
	// Activity is the main activity, a CAEN class of four digits. It is empty if the statement has none.
	Activity string

	figures [Items]int64
	stated  uint64 // a bit for each figure that is stated
}

// Figure returns the figure of an item, whose label is in [Labels], and reports whether it is stated. It is in whole
// RON; that of employees is their average number.
func (s *Statement) Figure(item int) (int64, bool) { return s.figures[item], s.stated>>item&1 == 1 }

// Value returns the figure of an item, or nil if it is not stated.
func (s *Statement) Value(item int) *int64 {
	if value, stated := s.Figure(item); stated {
		return &value
	}
	return nil
}

// NetResult returns the net profit less the net loss: see [company.NetResult].
func (s *Statement) NetResult() *int64 {
	return company.NetResult(s.Value(NetProfit), s.Value(NetLoss))
}

// State sets the figure of an item.
func (s *Statement) State(item int, value int64) {
	s.figures[item] = value
	s.stated |= 1 << item
}

// maxStatement bounds the encoded figures of a statement, in bytes.
const maxStatement = (1 + Items) * 10

// appendFigures appends the encoded figures.
func (s *Statement) appendFigures(b []byte) []byte {
	b = binary.AppendUvarint(b, s.stated)
	for left := s.stated; left != 0; left &= left - 1 {
		b = binary.AppendVarint(b, s.figures[bits.TrailingZeros64(left)])
	}
	return b
}

// readFigures decodes the figures at the beginning of some bytes.
func (s *Statement) readFigures(body []byte) error {
	stated, n := binary.Uvarint(body)
	if n <= 0 || stated>>Items != 0 {
		return errDamaged
	}

	for ; stated != 0; stated &= stated - 1 {
		body = body[n:]
		var value int64
		if value, n = binary.Varint(body); n <= 0 {
			return errDamaged
		}

		s.State(bits.TrailingZeros64(stated), value)
	}

	return nil
}

const (
	// readSize is the number of bytes read at once, and bounds a line.
	readSize = 64 << 10
	// maxFigure bounds a figure and its negative. It is hundreds of times the gross domestic product, so that sums of
	// figures do not overflow, and programs that read JSON numbers as floating point have them exactly.
	maxFigure = 1e15
)

// Read reads a file of statements, one on each line: the CUI, the activity and the figures in the columns of a
// legend, separated by commas. It calls add for each statement until that fails, and returns the number of malformed
// lines. A statement is valid only during the call: a new one for each of a million lines would occupy the garbage
// collector while callers wait. Empty figures are absent. Read returns ErrFormat if the columns differ
// from those of the legend, or if most lines are malformed.
func Read(file io.Reader, legend Legend, add func(*Statement) error) (dropped int, err error) {
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, readSize), readSize)
	var columns []int
	s, read := &Statement{}, 0
	for lines.Scan() {
		line := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\uFEFF")))
		if len(line) == 0 {
			continue
		}
		if columns == nil {
			var isHeader bool
			if columns, isHeader, err = legend.of(string(line)); err != nil {
				return 0, cmp.Or(lines.Err(), err) // the line may be the part before a failure to read
			}
			if isHeader {
				continue
			}
		}

		if !readLine(line, columns, s) {
			dropped++
			continue
		}
		if err := add(s); err != nil {
			return dropped, err
		}

		read++
	}

	err = lines.Err()
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		err = fmt.Errorf("%w: %w", ErrFormat, err)
	case err == nil && dropped > read:
		err = fmt.Errorf("%w: %d of its %d lines are malformed", ErrFormat, dropped, dropped+read)
	}

	return dropped, err
}

// readLine parses a line into a statement. It reports false for a line without a valid company, with malformed figures,
// or with more or fewer cells than columns.
func readLine(line []byte, columns []int, into *Statement) bool {
	first, rest, _ := bytes.Cut(line, comma)
	code, rest, more := bytes.Cut(rest, comma)
	cui, err := number(first)
	if err != nil || !ro.CUI(cui).Valid() {
		return false
	}

	*into = Statement{CUI: ro.CUI(cui)}
	if code, err := number(code); err == nil && code > 0 {
		into.Activity = activity(uint64(code)) // 0119 is written as 119
	}

	for _, item := range columns {
		var cell []byte
		if !more {
			return false
		}
		if cell, rest, more = bytes.Cut(rest, comma); len(bytes.TrimSpace(cell)) == 0 {
			continue
		}

		value, err := number(cell)
		if err != nil || value < -maxFigure || value > maxFigure {
			return false
		}

		into.State(item, value)
	}

	return !more
}

var comma = []byte{','}

// number parses a cell. It allocates no memory, because strconv does not keep the text of a number.
func number(cell []byte) (int64, error) {
	return strconv.ParseInt(string(bytes.TrimSpace(cell)), 10, 64)
}

// activity returns the CAEN class with a number. It is empty for a number that is none.
func activity(number uint64) string {
	if number == 0 || number >= 10_000 {
		return ""
	}
	return fmt.Sprintf("%04d", number)
}
