package upload

import (
	"strconv"

	"github.com/rodata/rodata/op/problem"
)

// chosenID is like findID, for a column that the caller chose.
func (r *reader) chosenID(g *grid) (int, error) {
	var named []int
	if g.columnNumber(r.Column) < 0 {
		if named = r.findNamed(g, hasName(r.Column)); len(named) == 0 {
			_, _ = r.recogniseID(g) // finds the header, whose names the problem lists
		}
	}
	id, err := g.chosenColumn(named, "column", r.Column)
	if err == nil && len(named) == 0 {
		g.findHeader(id, r.IsTaxID)
	}
	return id, err
}

func hasName(choice string) func(string) bool {
	return func(name string) bool { return plain(name) == plain(choice) && plain(name) != "" }
}

// columnNumber returns the column of a number from 1, and -1 for other choices. A number is never a name: the number of
// a row may be equal to it.
func (g *grid) columnNumber(choice string) int {
	if n, err := strconv.Atoi(choice); err == nil && n >= 1 && n <= g.width {
		return n - 1
	}
	return -1
}

// chosenColumn returns the column that a caller chose: the one of this number, or of this name.
func (g *grid) chosenColumn(named []int, parameter, choice string) (int, error) {
	switch column := g.columnNumber(choice); {
	case column >= 0:
		return column, nil
	case len(named) == 1:
		return named[0], nil
	case len(named) > 1:
		return 0, wrongColumn(parameter, choice, "two columns have this name; give the column's number, from 1")
	}

	return 0, wrongColumn(parameter, choice, "the table has no such column; it has "+
		quoteNames(g.rows[max(0, g.header)].Cells))
}

func wrongColumn(parameter, choice, reason string) error {
	return wrongOption(parameter, choice, "the name of a column of the file, or its number from 1", reason)
}

func wrongOption(parameter, choice, accepted, reason string) error {
	return problem.Invalid(&problem.InputError{Parameter: parameter, Code: problem.NoSuchValue,
		Received: problem.Excerpt(choice), Accepted: accepted, Reason: reason})
}
