package table

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
)

// Parquet reads a Parquet file that was written by NewParquet. It must be closed.
type Parquet struct {
	file    *parquet.File
	rows    parquet.Rows
	columns []Column
	notes   map[string]string
	buffer  []parquet.Row
	left    []parquet.Row // rows of the buffer that Read has not returned yet
	ended   bool
	cells   []string
}

// OpenParquet opens a Parquet file. The size is in bytes. It rejects columns of a type that NewParquet does not write.
func OpenParquet(r io.ReaderAt, size int64) (*Parquet, error) {
	file, err := parquet.OpenFile(r, size)
	if err != nil {
		return nil, err
	}

	p := &Parquet{file: file, rows: parquet.MultiRowGroup(file.RowGroups()...).Rows(), notes: make(map[string]string),
		buffer: make([]parquet.Row, rowsPerWrite)}
	for _, field := range file.Schema().Fields() {
		kind, ok := kindOf(field)
		if !ok {
			return nil, fmt.Errorf("the column %s has an unsupported type: %s", field.Name(), field)
		}

		p.columns = append(p.columns, Column{field.Name(), kind})
	}

	for _, note := range file.Metadata().KeyValueMetadata {
		p.notes[note.Key] = note.Value
	}

	p.cells = make([]string, len(p.columns))
	return p, nil
}

// kindOf returns the kind that is stored in a field.
func kindOf(field parquet.Field) (Kind, bool) {
	if !field.Leaf() || field.Repeated() {
		return 0, false
	}

	switch field.Type().Kind() {
	case parquet.ByteArray:
		return Text, true
	case parquet.Int64:
		return Integer, true
	case parquet.Double:
		return Number, true
	case parquet.Int32:
		return Date, true
	case parquet.Boolean:
		return Flag, true
	}

	return 0, false
}

// Columns returns the columns.
func (p *Parquet) Columns() []Column { return p.columns }

// Note returns the metadata value of a name, or an empty string if the file has no such value.
func (p *Parquet) Note(name string) string { return p.notes[name] }

// Len returns the number of rows.
func (p *Parquet) Len() int64 { return p.file.NumRows() }

// Read returns the cells of the next row, which are valid until the next call; io.EOF after the last row.
func (p *Parquet) Read() ([]string, error) {
	if len(p.left) == 0 {
		if err := p.fill(); err != nil {
			return nil, err
		}
	}

	for _, value := range p.left[0] {
		p.cells[value.Column()] = p.columns[value.Column()].Kind.text(value)
	}

	p.left = p.left[1:]
	return p.cells, nil
}

// fill reads the next rows into the buffer.
func (p *Parquet) fill() error {
	if p.ended {
		return io.EOF
	}

	n, err := p.rows.ReadRows(p.buffer)
	if errors.Is(err, io.EOF) {
		p.ended = true
	} else if err != nil {
		return err
	}

	if p.left = p.buffer[:n]; n == 0 {
		return io.EOF
	}

	return nil
}

// text converts a Parquet value back to the text of the cell.
func (k Kind) text(value parquet.Value) string {
	switch {
	case value.IsNull():
		return ""
	case k == Integer:
		return strconv.FormatInt(value.Int64(), 10)
	case k == Number:
		return strconv.FormatFloat(value.Double(), 'f', -1, 64)
	case k == Date:
		return time.Unix(int64(value.Int32())*secondsOfDay, 0).UTC().Format(time.DateOnly)
	case k == Flag:
		return strconv.FormatBool(value.Boolean())
	}

	return string(value.ByteArray())
}

// Close releases the reader's resources. It does not close the underlying reader.
func (p *Parquet) Close() error { return p.rows.Close() }
