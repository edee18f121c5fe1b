package vatcollection

import (
	"cmp"
	"slices"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
)

// table is the content of a daily file. It is not changed once it is served.
type table struct {
	day        ro.Date // of the file
	retrieved  time.Time
	validators upstream.Validators
	rows       []row // in the order of row.compare
}

// newTable sorts rows, and drops duplicates.
func newTable(rows []row) *table {
	slices.SortFunc(rows, row.compare)
	return &table{rows: slices.Clone(slices.Compact(rows))} // without spare capacity
}

// rowsOf returns the rows of a company, in order of entry.
func (t *table) rowsOf(cui ro.CUI) []row {
	if !cui.Valid() {
		return nil
	}

	company := companyOf(cui)
	begin, found := slices.BinarySearchFunc(t.rows, company, func(r row, c uint32) int {
		return cmp.Compare(r.company(), c)
	})
	if !found {
		return nil
	}

	end := begin
	for end < len(t.rows) && t.rows[end].company() == company {
		end++
	}

	return t.rows[begin:end]
}
