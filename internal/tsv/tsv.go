// Package tsv reads the tables embedded in the program: tab-separated text below one header line, without quotes.
package tsv

import (
	"fmt"
	"slices"
	"strings"
)

// Rows returns the rows below the header, which must name the given columns in this order.
func Rows(text string, columns ...string) ([][]string, error) {
	var rows [][]string
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != len(columns) {
			return nil, fmt.Errorf("line %d has %d columns, not %d", len(rows)+1, len(cells), len(columns))
		}

		rows = append(rows, cells)
	}

	if len(rows) == 0 || !slices.Equal(rows[0], columns) {
		return nil, fmt.Errorf("the header does not name the columns %s", strings.Join(columns, ", "))
	}

	return rows[1:], nil
}
