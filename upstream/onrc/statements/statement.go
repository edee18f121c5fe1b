// Package statements keeps the yearly financial statements of companies, as the Ministry of Finance publishes them in
// bulk.
//
// # Files
//
// The directory has one file for each year, such as 2025.statements. All fixed-size numbers are little-endian:
//
//	"rodatast" and the number of statements, 8 bytes each
//	an entry for each statement, by ascending CUI: the CUI in 8 bytes, and in 4 bytes
//	  the offset of its figures from the end of the entries
//	figures: the activity as a varint, and the indicators I1 to I20 as signed varints
//	the CRC-32 (IEEE) of everything before it, 4 bytes
//
// Files are only replaced as a whole.
package statements

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rodata/rodata/ro"
)

// Indicators is the number of figures in a statement of the general form.
const Indicators = 20

// Statement is a company's statement for a year, on the general form for companies. Banks, insurers and associations
// use other forms and are not included.
type Statement struct {
	CUI  ro.CUI
	Year int
	// Activity is the main activity, a CAEN class of four digits. It is empty if the statement has none.
	Activity string
	// Figures are the indicators, from I1 on, in whole RON. I20 is the average number of employees instead.
	Figures [Indicators]int64
}

// ErrFormat means that a file is not one of yearly statements, or has none.
var ErrFormat = errors.New("not a file of yearly statements")

// Read reads a file of statements, one on each line: the CUI, the activity and the indicators, separated by commas.
// A header line is skipped. Read calls add for each statement, and returns the number of malformed lines.
func Read(file io.Reader, year int, add func(Statement)) (dropped int, err error) {
	lines := bufio.NewScanner(file)
	for n := 0; lines.Scan(); n++ {
		text := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\uFEFF"))
		if n == 0 {
			if cells := strings.Split(text, ","); len(cells) < 2+Indicators {
				return 0, fmt.Errorf("%w: it begins with %.100q", ErrFormat, text)
			} else if strings.EqualFold(strings.TrimSpace(cells[0]), "CUI") {
				continue
			}
		}

		if text == "" {
			continue
		}

		s, ok := readLine(text)
		if !ok {
			dropped++
			continue
		}

		s.Year = year
		add(s)
	}

	return dropped, lines.Err()
}

// readLine parses a line. It reports false for a line without a valid company or with malformed figures. A missing
// figure is zero.
func readLine(text string) (s Statement, ok bool) {
	cell := func() string {
		var c string
		c, text, _ = strings.Cut(text, ",")
		return strings.TrimSpace(c)
	}

	cui, err := strconv.ParseInt(cell(), 10, 64)
	if err != nil || !ro.CUI(cui).Valid() {
		return s, false
	}

	s.CUI = ro.CUI(cui)
	if code, err := strconv.ParseUint(cell(), 10, 16); err == nil && code > 0 && code < 10_000 {
		s.Activity = fmt.Sprintf("%04d", code) // 0119 is written as 119
	}

	for i := range s.Figures {
		if c := cell(); c != "" {
			if s.Figures[i], err = strconv.ParseInt(c, 10, 64); err != nil {
				return s, false
			}
		}
	}

	return s, true
}
