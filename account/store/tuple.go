package store

import (
	"strconv"
	"strings"
)

// rowsAtOnce is how many rows a statement writes at most. A row more costs less than another statement, but the time in
// which SQLite parses parameters grows with the square of their number.
const rowsAtOnce = 32

// tuples are n rows of values for an INSERT: each has the shared parameters from $1 on, parameters of its own, and
// constants.
func tuples(n, shared, own int, constants ...string) string {
	rows := make([]string, n)
	for row := range rows {
		values := make([]string, 0, shared+own+len(constants))
		for i := range shared {
			values = append(values, "$"+strconv.Itoa(i+1))
		}

		for i := range own {
			values = append(values, "$"+strconv.Itoa(shared+row*own+i+1))
		}
		rows[row] = "(" + strings.Join(append(values, constants...), ", ") + ")"
	}

	return strings.Join(rows, ", ")
}
