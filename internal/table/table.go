// Package table writes tables as CSV, XLSX and Parquet files. A [Writer] takes rows of texts one by one and buffers
// only some of them in memory. The [Kind] of a column determines how a format stores its cells.
package table

import (
	"fmt"
	"io"
	"slices"
)

// Kind is the type of the values in a column. All cells are passed as texts. If a cell does not have the type of its
// column, CSV and XLSX store it as a text, and Parquet rejects it.
type Kind uint8

// The kinds.
const (
	// Text is any text, and the kind of codes and identifiers: their leading zeros matter.
	Text Kind = iota
	// Integer is a whole number of at most 64 bits.
	Integer
	// Number is a decimal number, as 12.50 or -3e5. XLSX and Parquet keep about 15 significant digits.
	Number
	// Date is a day, as 2026-10-02.
	Date
	// Flag is true or false.
	Flag
	// Other is no value, or a JSON value of no other kind, which is written as a text.
	Other
	// Time is a day with a time, as 2026-10-02 14:30:00. Only cells are of this kind: a column of them is Text.
	Time
)

// Column is a column of a table.
type Column struct {
	// Name is the heading of the column in the first row. Parquet requires distinct names without commas.
	Name string
	Kind Kind
}

// Texts returns columns of texts with the names.
func Texts(names ...string) []Column {
	columns := make([]Column, len(names))
	for i, name := range names {
		columns[i].Name = name
	}
	return columns
}

// Writer writes the rows of a table. It must be closed, and must not be used concurrently.
type Writer interface {
	// Write writes a row with a cell for each column. An empty cell is a missing value. In a workbook, the first cells
	// have the kinds, if given, instead of those of their columns. The cells may be reused afterwards.
	Write(cells []string, kinds ...Kind) error
	// Close completes the file. It does not close the underlying writer. After an error of Write, it only releases
	// resources.
	Close() error
}

// New returns a Writer of a format: xlsx, parquet, or else CSV with a delimiter.
func New(format string, w io.Writer, columns []Column, info Info, delimiter rune) Writer {
	switch format {
	case "xlsx":
		return NewXLSX(w, columns, info)
	case "parquet":
		return NewParquet(w, columns, info)
	}

	return NewCSV(w, columns, delimiter)
}

// Info describes the content of a file and its sources. A workbook shows it on a separate sheet, a Parquet file has it
// in its metadata, and a compressed CSV file in a frame at its end.
type Info struct {
	// Title names the rows, as "Companies of Romania's trade register".
	Title string
	// Sources are the registries that the rows come from.
	Sources []Source
	// Notes are further facts, such as the question that the rows answer.
	Notes []Note
}

// Source is a source of the rows.
type Source struct {
	// Name is the name of the registry. Address is the URL where it publishes the data; empty if there is none.
	Name, Address string
	// Date is the day of the data; empty if unknown.
	Date string
	// Attribution is the text that the licence requires, and Licence the licence's name; both may be empty.
	Attribution, Licence string
}

// Note is a fact with its name.
type Note struct{ Name, Text string }

// notes returns the content of an Info as a list of notes.
func (i *Info) notes() []Note {
	all := []Note{{"title", i.Title}}
	for n, s := range i.Sources {
		number := ""
		if len(i.Sources) > 1 {
			number = fmt.Sprintf(" %d", n+1)
		}

		all = append(all, Note{"source" + number, s.Name}, Note{"address" + number, s.Address},
			Note{"date" + number, s.Date}, Note{"attribution" + number, s.Attribution},
			Note{"licence" + number, s.Licence})
	}

	all = append(all, i.Notes...)
	return slices.DeleteFunc(all, func(n Note) bool { return n.Text == "" })
}

// checkWidth returns an error for a row with too few or too many cells.
func checkWidth(cells []string, columns []Column) error {
	if len(cells) != len(columns) {
		return fmt.Errorf("a row has %d cells, and the table has %d columns", len(cells), len(columns))
	}
	return nil
}
