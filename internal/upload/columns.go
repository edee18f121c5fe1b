package upload

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rodata/rodata/op/problem"
)

const columnForm = "a table with one column of tax ids, named cui, cif or cod fiscal, or chosen with column"

// findID finds the column of tax ids and the header: by the choice of the caller, by a name, by the check digits of its
// cells, or because it is the only column.
func (r *reader) findID(g *grid) (id int, err error) {
	if r.Column != "" {
		return r.chosenID(g)
	}
	return r.recogniseID(g)
}

// recogniseID finds the column and the header without a choice of the caller.
func (r *reader) recogniseID(g *grid) (id int, err error) {
	if named := r.findNamed(g, namesID); len(named) > 0 {
		return r.onlyIDColumn(g, named)
	}

	var byContent []int
	for column := range g.width {
		if passed, all := g.share(column, hasDigits, r.IsTaxID); passed*2 > all {
			byContent = append(byContent, column)
		}
	}
	if len(byContent) == 1 || len(byContent) > 1 && r.allAgree(g, byContent) {
		g.findHeader(byContent[0], r.IsTaxID)
		return byContent[0], nil
	}

	if named := r.findNamed(g, mayName); len(named) > 0 {
		return r.onlyIDColumn(g, named)
	}
	if len(byContent) > 1 {
		g.findHeader(byContent[0], r.IsTaxID)
		return r.onlyIDColumn(g, byContent)
	}
	if g.width == 1 {
		g.findHeader(0, r.IsTaxID)
		return 0, nil
	}

	return 0, r.noID(g)
}

// findNamed finds the header: of the rows with names that match, the one above the most tax ids. It returns the columns
// of these names.
func (r *reader) findNamed(g *grid, match func(string) bool) (columns []int) {
	most, best := -1, -1
	for i := range min(len(g.rows), headerRows) {
		named := matchingIndexes(g.rows[i].Cells, match)
		named = slices.DeleteFunc(named, func(column int) bool { // a row below data is no header
			return slices.ContainsFunc(g.rows[:i], func(x Row) bool {
				return column < len(x.Cells) && r.IsTaxID(x.Cells[column])
			})
		})
		if len(named) == 0 {
			continue
		}

		g.header = i
		ids := 0
		for _, column := range named {
			passed, _ := g.share(column, hasDigits, r.IsTaxID)
			ids = max(ids, passed)
		}
		if ids > most {
			most, best, columns = ids, i, named
		}
	}

	g.header = best
	return columns
}

// onlyIDColumn returns the one column of tax ids among several: the first one if all have the same tax ids, or the only
// one in which most cells are tax ids.
func (r *reader) onlyIDColumn(g *grid, columns []int) (int, error) {
	if ids, _ := g.share(columns[0], hasDigits, r.IsTaxID); len(columns) == 1 || ids > 0 && r.allAgree(g, columns) {
		return columns[0], nil
	}

	filled := slices.DeleteFunc(slices.Clone(columns), func(column int) bool {
		passed, all := g.share(column, hasDigits, r.IsTaxID)
		return passed*2 <= all
	})
	if len(filled) == 1 {
		return filled[0], nil
	}

	a, b := g.name(columns[0]), g.name(columns[1])
	return 0, refuse(problem.Conflict, columnForm,
		"the columns %s and %s both look like tax ids; choose one, as ?column=%s",
		problem.Quoted(a), problem.Quoted(b), a)
}

func (r *reader) allAgree(g *grid, columns []int) bool {
	for _, column := range columns[1:] {
		if !g.agree(columns[0], column, r.IsTaxID, sameID) {
			return false
		}
	}
	return true
}

// sameID reports whether two tax ids are equal. A number of the trade register (J40/1/1991) may be the same company.
func sameID(x, y string) bool { return digits(x) == digits(y) || strings.Contains(x+y, "/") }

// noID is the problem of a table without a column of tax ids. It suggests the column with the most numbers as long as a
// tax id.
func (r *reader) noID(g *grid) error {
	best, most := 0, 0
	for column := range g.width {
		if n, _ := g.share(column, hasDigits, isLong); n > most {
			best, most = column, n
		}
	}

	head := 0
	for g.at(head, best) == "" && head < len(g.rows)-1 {
		head++
	}
	suggestion := "NAME"
	if most > 0 {
		suggestion = strconv.Itoa(best + 1)
		if name := g.at(head, best); name != "" && !hasDigits(name) {
			suggestion = name
		}
	}

	return refuse(problem.InvalidFormat, columnForm,
		"no column has the name of a tax id, and in none most cells are tax ids; row %d has %s. Name the column cui, "+
			"or choose it, as ?column=%s", rowNumber(g.rows[head].Line), quoteNames(g.rows[head].Cells), suggestion)
}

// isLong reports whether a cell has as many digits as most tax ids, and little else.
func isLong(cell string) bool {
	n := len(digits(cell))
	return n >= 5 && n <= 10 && len(cell) <= n+5
}

// noColumn is the choice of no column of days.
const noColumn = "none"

// findDate finds the column of days.
func (r *reader) findDate(g *grid, names []string) error {
	var columns []int
	switch r.DateColumn {
	case noColumn:
	case "":
		if columns = matchingIndexes(names, namesDate); len(columns) == 0 {
			columns = slices.DeleteFunc(matchingIndexes(names, mayNameDate), func(column int) bool {
				passed, all := g.share(column, hasContent, r.IsDay)
				return passed == 0 && all > 0
			})
		}
	default:
		column, err := g.chosenColumn(matchingIndexes(names, hasName(r.DateColumn)), "dateColumn", r.DateColumn)
		if err != nil {
			return err
		}
		columns = []int{column}
	}

	for _, column := range columns {
		if passed, all := g.share(column, hasContent, r.IsDay); passed*2 < all || all > 0 && passed == 0 {
			return r.noDays(g, column)
		}
		if !g.agree(columns[0], column, r.IsDay, func(x, y string) bool { return x == y }) {
			return refuse(problem.Conflict, "one column of days",
				"the columns %s and %s both look like the day of each row; choose one, as ?dateColumn=%s",
				problem.Quoted(names[columns[0]]), problem.Quoted(names[column]), names[columns[0]])
		}
	}

	if len(columns) > 0 {
		r.table.Date = columns[0]
	}
	return nil
}

// noDays is the problem of a column that has the name of days, but other cells. If it were ignored, the rows would be
// answered for today.
func (r *reader) noDays(g *grid, column int) error {
	for i := g.header + 1; i < len(g.rows); i++ {
		if cell := g.at(i, column); cell != "" && !r.IsDay(cell) {
			return refuse(problem.InvalidFormat, "days as 2026-03-31, 31.03.2026 or 31/03/2026",
				"the column %q has the name of a day, but row %d has %s there; write days as 2026-03-31 or "+
					"31.03.2026, choose another column with dateColumn, or none with ?dateColumn=%s",
				shownColumn(g.name(column)), rowNumber(g.rows[i].Line), problem.Quoted(cell), noColumn)
		}
	}
	return nil
}

// chosenID is like findID, for a column that the caller chose.
func (r *reader) chosenID(g *grid) (int, error) {
	var named []int
	if g.columnNumber(r.Column) < 0 {
		if named = r.findNamed(g, hasName(r.Column)); len(named) == 0 {
			// It fails. The problem lists the names in the header, of the sheet with the most tax ids.
			if id, err := r.recogniseID(g); err == nil {
				r.table.ID = id
			}
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
