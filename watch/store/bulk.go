package store

import (
	"fmt"
	"slices"
	"strings"
)

// atOnce is how many rows one statement is about: SQLite takes long to parse more, and PostgreSQL takes at most 65,535
// parameters.
const atOnce = 100

// bulk is a statement about several rows, whose parameters are in the place of %s.
type bulk struct {
	text  string
	types []string // of the parameters of a row; empty where they follow from the column
}

// of is the statement about n rows, whose parameters follow a number of others.
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

// each calls execute with a statement and its arguments for every piece of the rows.
func each[T any](b bulk, rows []T, args func(T) []any, execute func(statement string, args []any) error) error {
	return eachAfter(b, rows, nil, args, execute)
}

// eachAfter is each for a statement whose first parameters are the same for all pieces.
func eachAfter[T any](b bulk, rows []T, first []any, args func(T) []any, execute func(statement string, args []any) error) error {
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
