package upload

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"github.com/rodata/rodata/api/problem"
)

const csvForm = "a CSV table (RFC 4180) with commas, semicolons or tabs"

// readCSV reads a table. Its first row is a header, unless the table has a single column that begins with data.
func (r *reader) readCSV(text string) error {
	text, comma, skipped := declaredDelimiter(text)
	if comma == 0 {
		comma = delimiterOf(text)
	}

	lazy := !wellFormed(text, comma)
	records := newCSV(text, comma)
	records.LazyQuotes = lazy
	for first := true; ; first = false {
		record, err := records.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if broken, ok := errors.AsType[*csv.ParseError](err); ok {
			return refuse(problem.Malformed, csvForm, "row %d of the table cannot be read: %v",
				broken.Line+skipped, broken.Err)
		}

		line, _ := records.FieldPos(0)
		line += skipped
		if lazy && strings.Contains(strings.Join(record, ""), "\n") {
			return refuse(problem.Malformed, csvForm,
				`row %d has a cell that begins with a quotation mark and does not end in its line; `+
					`write such a cell in quotation marks and each of its own twice, as """ALFA"" SRL"`, line)
		}

		if first {
			isHeader, err := r.readHeader(record)
			if err != nil {
				return err
			}
			if isHeader {
				continue
			}
		}

		if err := r.emit(record, line); err != nil {
			return err
		}
	}
}

func newCSV(text string, comma rune) *csv.Reader {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = comma, -1, true
	return r
}

// wellFormed reports whether the quotation marks of a table follow RFC 4180. In such a table, a quoted cell may span
// lines. In other tables, which simple programs export, a quotation mark is an ordinary character. If cells could span
// lines there, a single quotation mark would swallow rows.
func wellFormed(text string, comma rune) bool {
	r := newCSV(text, comma)
	for {
		_, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			return true
		case err != nil:
			return false
		}
	}
}

// delimiters are the characters that may separate cells, the most likely first.
const delimiters = ",;\t|"

// declaredDelimiter removes the line "sep=;" that declares the delimiter to Excel, and returns the delimiter and the
// number of removed lines. It returns zeros if there is no such line.
func declaredDelimiter(text string) (rest string, comma rune, lines int) {
	line, rest, _ := strings.Cut(text, "\n")
	line = strings.TrimRight(line, "\r")
	if separator, ok := strings.CutPrefix(strings.ToLower(line), "sep="); ok && len(separator) == 1 &&
		strings.Contains(delimiters, separator) {
		return rest, rune(separator[0]), 1
	}

	return text, 0, 0
}

// delimiterOf returns the delimiter that is most frequent in the first line, outside quotation marks.
func delimiterOf(text string) rune {
	var times [128]int
	inQuotes := false
	for _, c := range text {
		if c == '"' {
			inQuotes = !inQuotes
		}
		if c == '\n' && !inQuotes {
			break
		}
		if c < 128 && !inQuotes {
			times[c]++
		}
	}

	best := ','
	for _, c := range delimiters {
		if times[c] > times[best] {
			best = c
		}
	}

	return best
}
