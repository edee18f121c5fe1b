package upload

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/rodata/rodata/op/problem"
)

const (
	// A table is found in its first sampleRows rows, as far as they take less than sampleBytes. Its header is among the
	// first headerRows.
	sampleRows  = 100
	sampleBytes = 256 << 10
	headerRows  = 30
)

var errSampled = errors.New("enough rows were read")

// sample returns the first rows of a source that are not empty.
func (r *reader) sample(rows source) (first []Row, err error) {
	size := 0
	err = rows(func(x *Row) error {
		if x.isEmpty() {
			return nil
		}
		for _, cell := range x.Cells {
			size += len(cell) + cellCost
		}

		first = append(first, Row{x.Line, slices.Clone(x.Cells), slices.Clone(x.Kinds), slices.Clone(x.names)})
		if len(first) == sampleRows || size > sampleBytes {
			return errSampled
		}
		return nil
	})
	if errors.Is(err, errSampled) {
		err = nil
	}
	return first, err
}

// layOut finds the header and the columns of a table by its first rows.
func (r *reader) layOut(first []Row) error {
	if len(first) == 0 {
		return refuse(problem.Empty, "a CSV, XLSX, NDJSON or JSON file", "the file is empty")
	}

	g := &grid{rows: first, header: -1}
	for i := range first {
		g.width = max(g.width, len(trimEmpty(first[i].Cells)))
	}

	id, err := r.findID(g)
	if err != nil {
		r.table.Columns = unique(g.choices())
		return err
	}

	r.table.ID = id
	names := make([]string, g.width)
	if g.header >= 0 {
		names = trimEmpty(first[g.header].Cells)
		r.table.Header = first[g.header].Line
	} else {
		names[id] = "taxId"
	}
	return r.nameColumns(g, names)
}

// nameColumns sets the columns of the table, and finds those of days and references.
func (r *reader) nameColumns(g *grid, names []string) error {
	if id := r.table.ID; id >= len(names) { // the column has no name
		names = append(names, make([]string, id+1-len(names))...)
	}
	if err := checkNames(names); err != nil {
		return err
	}

	r.table.Columns, r.skip = unique(names), g.header+1
	r.table.Reference = slices.IndexFunc(names, namesReference)
	if len(names) == 1 {
		r.table.Delimiter = ""
	}
	return r.findDate(g, names)
}

// trimEmpty returns cells without the empty ones at the end.
func trimEmpty(cells []string) []string {
	for len(cells) > 0 && strings.TrimSpace(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	return cells
}

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

// choices returns the names of the columns if the header is not known: the cells of the first of the widest rows.
func (g *grid) choices() []string {
	for i := max(0, g.header); i < len(g.rows); i++ {
		if cells := trimEmpty(g.rows[i].Cells); len(cells) == g.width {
			return cells
		}
	}
	return make([]string, g.width)
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
