package upload

import (
	"errors"
	"slices"
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
		return err
	}

	names := make([]string, g.width)
	if g.header >= 0 {
		names = trimEmpty(first[g.header].Cells)
		r.table.Header = first[g.header].Line
	} else {
		names[id] = "taxId"
	}
	return r.nameColumns(g, id, names)
}

// nameColumns sets the columns of the table, and finds those of days and references.
func (r *reader) nameColumns(g *grid, id int, names []string) error {
	if id >= len(names) { // the column has no name
		names = append(names, make([]string, id+1-len(names))...)
	}
	if err := checkNames(names); err != nil {
		return err
	}

	r.table.Columns, r.table.ID, r.skip = unique(names), id, g.header+1
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
