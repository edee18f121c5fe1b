package op

import (
	"bytes"
	"fmt"

	"github.com/rodata/rodata/internal/table"
)

// Table requests rows as CSV (RFC 4180) instead of JSON.
type Table struct {
	// Delimiter separates the cells: a comma, a semicolon or a tab. With a semicolon the file begins with a byte order
	// mark, so that Romanian spreadsheets open it correctly.
	Delimiter rune
}

// CSVType is the media type of a file with comma-separated values.
const CSVType = "text/csv; charset=utf-8"

// document returns a table of rows with a header line.
func (t *Table) document(columns []string, rows []Row, name string) (*Document, error) {
	var text bytes.Buffer
	w := table.NewCSV(&text, table.Texts(columns...), t.Delimiter)
	for _, row := range rows {
		if err := w.Write(row.Cells()); err != nil {
			return nil, fmt.Errorf("writing %s: %w", name, err)
		}
	}

	if err := w.Close(); err != nil {
		return nil, err
	}

	return NewFile(text.Bytes(), CSVType, name), nil
}
