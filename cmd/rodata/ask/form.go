package ask

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/rodata/rodata/internal/table"
)

// form is the output format of a command.
type form int

// The forms.
const (
	forPeople form = iota
	asJSON
	asCSV
)

func formOf(json, csv bool) form {
	switch {
	case json:
		return asJSON
	case csv:
		return asCSV
	}

	return forPeople
}

// printJSON prints a value, indented.
func printJSON(out io.Writer, value any) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}

// printCSV prints a table (RFC 4180).
func printCSV(out io.Writer, columns []string, rows [][]string) error {
	return writeRows(table.NewCSV(out, table.Texts(columns...), ','), rows)
}

// writeRows writes a whole table.
func writeRows(w table.Writer, rows [][]string) error {
	for _, row := range rows {
		if err := w.Write(row); err != nil {
			return errors.Join(err, w.Close())
		}
	}

	return w.Close()
}
