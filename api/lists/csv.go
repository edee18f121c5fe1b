package lists

import (
	"bytes"
	"fmt"

	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/op"
)

// CSV is the form of an answer whose rows are a table in CSV (RFC 4180).
type CSV struct {
	// Delimiter separates the cells: a comma, a semicolon or a tab. With a semicolon the file begins with a byte order
	// mark, so that Romanian spreadsheets open it correctly.
	Delimiter rune
}

// Document returns a table of rows with a header line.
func (c CSV) Document(columns []string, rows []op.Row, name string) (*op.Document, error) {
	var text bytes.Buffer
	w := table.NewCSV(&text, table.Texts(columns...), c.Delimiter)
	for _, row := range rows {
		if err := w.Write(row.Cells()); err != nil {
			return nil, fmt.Errorf("writing %s.csv: %w", name, err)
		}
	}

	if err := w.Close(); err != nil {
		return nil, err
	}

	return op.NewFile(text.Bytes(), op.CSVType, name+".csv"), nil
}
