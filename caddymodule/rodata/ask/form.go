package ask

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
)

// form is how a command prints its answer.
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
	w := csv.NewWriter(out)
	w.UseCRLF = true
	if err := w.Write(columns); err != nil {
		return err
	}
	for _, row := range rows {
		safe := make([]string, len(row))
		for i, cell := range row {
			safe[i] = inert(cell)
		}
		if err := w.Write(safe); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// inert keeps a spreadsheet from taking a text for a formula.
func inert(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}
