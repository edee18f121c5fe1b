package table

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

const (
	// rowsPerGroup is the number of rows of a row group. A reader skips groups that cannot match, and reads several at
	// once.
	rowsPerGroup = 50_000
	// maxGroup is the size in bytes from which a row group takes no further rows. The library holds a group in memory,
	// in several times as many bytes.
	maxGroup = 16 << 20
	// maxHeld is the size in bytes from which rows are passed to the library.
	maxHeld = 1 << 20
	// maxDictionary is the maximum size of a dictionary in bytes. If a column of a row group needs a larger one, it
	// is stored without a dictionary.
	maxDictionary = 1 << 20
	// rowsPerWrite is the number of rows that are passed to the library together, the same as in one of its pages.
	rowsPerWrite = 64
)

// parquetWriter writes a Parquet file.
type parquetWriter struct {
	file    *parquet.GenericWriter[any]
	columns []Column
	rows    []parquet.Row // not passed to the library yet; their memory is reused
	held    int           // of them
	size    int           // of their texts, in bytes
	group   int           // rows of the row group
	begun   int64         // the size of the file before the row group
	err     error
}

// NewParquet returns a Writer of a Parquet file, compressed with zstd. All columns are optional. Texts are stored as
// strings, integers with 64 bits, numbers as doubles, dates as dates and flags as booleans. The metadata of the file
// contains info.
func NewParquet(w io.Writer, columns []Column, info Info) Writer {
	p := &parquetWriter{columns: columns, rows: make([]parquet.Row, rowsPerWrite)}
	options := []parquet.WriterOption{
		schemaOf(columns), parquet.Compression(&zstd.Codec{}), parquet.DictionaryMaxBytes(maxDictionary),
		parquet.CreatedBy("rodata", "1", ""),
	}
	for _, note := range info.notes() {
		options = append(options, parquet.KeyValueMetadata(note.Name, note.Text))
	}

	p.file = parquet.NewGenericWriter[any](w, options...)
	return p
}

// schemaOf returns the schema of columns.
func schemaOf(columns []Column) *parquet.Schema {
	root := orderedGroup{parquet.Group{}, columns}
	for _, column := range columns {
		root.Group[column.Name] = parquet.Optional(column.Kind.node())
	}
	return parquet.NewSchema("rows", root)
}

// orderedGroup is a parquet.Group with its fields in the order of the columns. A plain parquet.Group sorts them by
// name.
type orderedGroup struct {
	parquet.Group
	columns []Column
}

// Fields implements parquet.Node.
func (g orderedGroup) Fields() []parquet.Field {
	fields := g.Group.Fields()
	place := func(f parquet.Field) int {
		return slices.IndexFunc(g.columns, func(c Column) bool { return c.Name == f.Name() })
	}
	slices.SortFunc(fields, func(a, b parquet.Field) int { return place(a) - place(b) })
	return fields
}

func (k Kind) node() parquet.Node {
	switch k {
	case Integer:
		return parquet.Leaf(parquet.Int64Type)
	case Number:
		return parquet.Leaf(parquet.DoubleType)
	case Date:
		return parquet.Date()
	case Flag:
		return parquet.Leaf(parquet.BooleanType)
	}

	return parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
}

// Write implements Writer.
func (p *parquetWriter) Write(cells []string, _ ...Kind) error {
	if p.err != nil {
		return p.err
	}
	if p.err = checkWidth(cells, p.columns); p.err != nil {
		return p.err
	}

	row := p.rows[p.held][:0]
	for i, cell := range cells {
		if cell == "" {
			row = append(row, parquet.NullValue().Level(0, 0, i))
			continue
		}

		value, err := p.columns[i].Kind.value(cell)
		if err != nil {
			p.err = fmt.Errorf("column %s: %w", p.columns[i].Name, err)
			return p.err
		}

		row = append(row, value.Level(0, 1, i))
		p.size += len(cell)
	}

	p.rows[p.held] = row

	if p.held++; p.held == rowsPerWrite || p.size > maxHeld || p.group+p.held == rowsPerGroup {
		p.err = p.pass()
	}

	return p.err
}

// pass writes the buffered rows, and ends the row group if it is full.
func (p *parquetWriter) pass() error {
	_, err := p.file.WriteRows(p.rows[:p.held])
	p.group += p.held
	p.held, p.size = 0, 0
	if err == nil && (p.group >= rowsPerGroup || p.file.Size()-p.begun > maxGroup) {
		err = p.file.Flush()
		p.group, p.begun = 0, p.file.Size()
	}
	return err
}

// Close implements Writer.
func (p *parquetWriter) Close() error {
	if p.err == nil {
		p.err = p.pass()
	}
	if p.err != nil {
		return p.err
	}
	return p.file.Close()
}

// value converts a non-empty cell to a Parquet value of the kind.
func (k Kind) value(cell string) (parquet.Value, error) {
	switch k {
	case Integer:
		n, err := strconv.ParseInt(cell, 10, 64)
		return parquet.Int64Value(n), err
	case Number:
		n, err := strconv.ParseFloat(cell, 64)
		return parquet.DoubleValue(n), err
	case Date:
		day, err := time.Parse(time.DateOnly, cell)
		return parquet.Int32Value(int32(day.Unix() / secondsOfDay)), err
	case Flag:
		yes, err := parseFlag(cell)
		return parquet.BooleanValue(yes), err
	}

	return parquet.ByteArrayValue([]byte(cell)), nil
}

const secondsOfDay = 24 * 60 * 60

func parseFlag(cell string) (bool, error) {
	switch cell {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}

	return false, fmt.Errorf("%q is neither true nor false", cell)
}
