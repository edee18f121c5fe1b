package upload

import (
	"github.com/rodata/rodata/op/problem"
)

// noColumn is the choice of no column of days.
const noColumn = "none"

// findDate finds the column of days.
func (r *reader) findDate(g *grid, names []string) error {
	var columns []int
	switch r.DateColumn {
	case noColumn:
	case "":
		columns = matchingIndexes(names, namesDate)
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
				"the column %s has the name of a day, but row %d has %s there; write days as 2026-03-31 or "+
					"31.03.2026, choose another column with dateColumn, or none with ?dateColumn=%s",
				problem.Quoted(g.name(column)), g.rows[i].Line, problem.Quoted(cell), noColumn)
		}
	}
	return nil
}
