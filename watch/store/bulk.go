package store

import (
	"fmt"
	"slices"
	"strings"
)

// atOnce is the number of rows in one statement: SQLite takes long to parse larger ones, and PostgreSQL accepts at most
// 65,535 parameters.
const atOnce = 100

// bulk is a statement over several rows. The parameters of the rows replace %s in its text.
type bulk struct {
	text  string
	types []string // SQL types of the parameters of a row; empty where the column implies it
}

// of returns the statement for n rows. Their parameters are numbered after the given number of earlier ones.
func (b bulk) of(n, before int) string {
	var rows strings.Builder
	for i := range n * len(b.types) {
		switch {
		case i == 0:
			rows.WriteByte('(')
		case i%len(b.types) == 0:
			rows.WriteString("), (")
		default:
			rows.WriteString(", ")
		}

		if kind := b.types[i%len(b.types)]; kind != "" {
			fmt.Fprintf(&rows, "CAST($%d AS %s)", before+i+1, kind)
		} else {
			fmt.Fprintf(&rows, "$%d", before+i+1)
		}
	}

	return fmt.Sprintf(b.text, rows.String()+")")
}

// each executes the statement for all rows, at most atOnce at a time.
func each[T any](b bulk, rows []T, args func(T) []any, execute func(statement string, args []any) error) error {
	return eachAfter(b, rows, nil, args, execute)
}

// eachAfter is like each, for a statement that begins with parameters common to all rows.
func eachAfter[T any](b bulk, rows []T, first []any, args func(T) []any,
	execute func(statement string, args []any) error) error {
	whole := b.of(atOnce, len(first))
	for piece := range slices.Chunk(rows, atOnce) {
		statement := whole
		if len(piece) < atOnce {
			statement = b.of(len(piece), len(first))
		}

		all := append(make([]any, 0, len(first)+len(piece)*len(b.types)), first...)
		for _, row := range piece {
			all = append(all, args(row)...)
		}
		if err := execute(statement, all); err != nil {
			return err
		}
	}

	return nil
}
