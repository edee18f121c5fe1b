package upload

import (
	"slices"
	"strconv"
	"strings"
)

// grid holds the first rows of a table.
type grid struct {
	rows   []Row
	width  int
	header int // the index of the row with the names; negative if there is none
}

func (g *grid) at(row, column int) string {
	if cells := g.rows[row].Cells; column < len(cells) {
		return strings.TrimSpace(cells[column])
	}
	return ""
}

// share counts the cells of a column below the header that could pass a check, and those of them that do.
func (g *grid) share(column int, could, is func(string) bool) (passed, all int) {
	for i := g.header + 1; i < len(g.rows); i++ {
		if cell := g.at(i, column); could(cell) {
			all++
			if is(cell) {
				passed++
			}
		}
	}

	return passed, all
}

// agree reports whether two columns never have two different values in a row. Results of jobs have such columns.
func (g *grid) agree(a, b int, is func(string) bool, same func(x, y string) bool) bool {
	for i := g.header + 1; i < len(g.rows); i++ {
		if x, y := g.at(i, a), g.at(i, b); is(x) && is(y) && !same(x, y) {
			return false
		}
	}
	return true
}

// name returns the name of a column, or its number.
func (g *grid) name(column int) string {
	if g.header >= 0 && g.at(g.header, column) != "" {
		return g.at(g.header, column)
	}
	return strconv.Itoa(column + 1)
}

// findHeader finds the header above the first cell of a column that passes a check: the nearest row with a text there.
// If there is none, all rows are data.
func (g *grid) findHeader(column int, is func(string) bool) {
	first := slices.IndexFunc(g.rows, func(x Row) bool { return column < len(x.Cells) && is(x.Cells[column]) })
	if first < 0 {
		first = 1
	}
	for g.header = first - 1; g.header >= 0; g.header-- {
		if cell := g.at(g.header, column); cell != "" && !hasDigits(cell) {
			return
		}
	}
}

func hasDigits(cell string) bool { return strings.ContainsAny(cell, "0123456789") }

func hasContent(cell string) bool { return cell != "" }

func digits(cell string) string {
	return strings.TrimLeft(strings.Map(func(c rune) rune {
		if c < '0' || c > '9' {
			return -1
		}
		return c
	}, strings.TrimSuffix(cell, ".0")), "0")
}

func matchingIndexes(names []string, match func(string) bool) (indexes []int) {
	for i, name := range names {
		if match(name) {
			indexes = append(indexes, i)
		}
	}

	return indexes
}
