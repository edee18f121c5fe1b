package upload

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
	"github.com/rodata/rodata/internal/spelling"
)

const columnForm = "a table with one column of tax ids, named cui, cif or cod fiscal, or chosen with column"

// weakNames are names that many tables use for VAT amounts and flags. They count only if no other column has the name
// of a tax id.
var weakNames = []string{"vat", "tva"}

// dateName is the name of the column of days.
const dateName = "date"

// readHeader reads the first row of a table. It sets the names of the columns and finds the column of tax ids. It
// reports whether the row is a header; otherwise it is data.
func (r *reader) readHeader(first []string) (isHeader bool, err error) {
	for len(first) > 1 && strings.TrimSpace(first[len(first)-1]) == "" {
		first = first[:len(first)-1]
	}
	if len(first) > maxColumns {
		return false, tooWide(len(first))
	}

	id, isHeader, err := r.find(first)
	if err != nil {
		return false, err
	}

	if isHeader {
		r.table.Columns = unique(first)
	} else {
		r.table.Columns = unique(make([]string, len(first)))
		r.table.Columns[id] = "taxId"
	}

	r.table.ID = id
	r.table.Date = slices.IndexFunc(first, func(name string) bool { return isHeader && plain(name) == dateName })
	return isHeader, nil
}

func tooWide(columns int) error {
	return refuse(problem.TooMany, fmt.Sprintf("at most %d columns", maxColumns),
		"the table has %d columns, and at most %d are read", columns, maxColumns)
}

// find returns the index of the column of tax ids, and reports whether the first row is a header.
func (r *reader) find(first []string) (id int, isHeader bool, err error) {
	if r.column != "" {
		return r.chosen(first)
	}

	candidates := matching(first, func(name string) bool {
		return api.NamesTaxID(name) && !slices.Contains(weakNames, plain(name))
	})
	if len(candidates) == 0 {
		candidates = matching(first, func(name string) bool { return slices.Contains(weakNames, plain(name)) })
	}

	switch {
	case len(candidates) == 1:
		return candidates[0], true, nil
	case len(candidates) > 1:
		return 0, false, refuse(problem.Conflict, columnForm,
			"the columns %s and %s both have the name of a tax id; choose one, as ?column=%s",
			problem.Quoted(first[candidates[0]]), problem.Quoted(first[candidates[1]]), first[candidates[0]])
	case len(first) == 1:
		return 0, !strings.ContainsAny(first[0], "0123456789"), nil
	}

	return 0, false, refuse(problem.InvalidFormat, columnForm,
		"no column has the name of a tax id; row 1 has %s. Name the column cui, or choose it, as ?column=%s",
		listed(first), strings.TrimSpace(first[0]))
}

// chosen is like find, for a column that the caller chose by name or number.
func (r *reader) chosen(first []string) (id int, isHeader bool, err error) {
	same := matching(first, func(name string) bool { return plain(name) == plain(r.column) })
	n, err := strconv.Atoi(r.column)
	switch {
	case len(same) == 1:
		return same[0], true, nil
	case len(same) > 1:
		return 0, false, wrongColumn(r.column, "two columns have this name; give the column's number, from 1")
	case err == nil && n >= 1 && n <= len(first):
		return n - 1, !strings.ContainsAny(first[n-1], "0123456789"), nil
	}

	return 0, false, wrongColumn(r.column, "the table has no such column; it has "+listed(first))
}

func wrongColumn(column, reason string) error {
	return problem.Invalid(&problem.InputError{Parameter: "column", Code: problem.NoSuchValue,
		Received: problem.Shown(column),
		Accepted: "the name of a column of the file, or its number from 1", Reason: reason})
}

func matching(names []string, match func(string) bool) (indexes []int) {
	for i, name := range names {
		if match(name) {
			indexes = append(indexes, i)
		}
	}

	return indexes
}

// plain folds a name to plain letters and digits.
func plain(name string) string { return strings.ReplaceAll(spelling.Fold(name), " ", "") }

// listed quotes the first names of a row.
func listed(names []string) string {
	shown := make([]string, 0, 10)
	for _, name := range names[:min(len(names), cap(shown))] {
		shown = append(shown, problem.Quoted(name))
	}
	return strings.Join(shown, ", ")
}

// unique returns distinct names for columns. An empty name becomes the column's number, and a repeated name gets a
// number appended.
func unique(names []string) []string {
	all := make([]string, len(names))
	seen := make(map[string]bool, len(names))
	for i, name := range names {
		name = strings.TrimSpace(strings.ToValidUTF8(name, ""))
		if name == "" {
			name = fmt.Sprintf("column %d", i+1)
		}

		all[i] = name
		for n := 2; seen[all[i]]; n++ {
			all[i] = fmt.Sprintf("%s (%d)", name, n)
		}

		seen[all[i]] = true
	}

	return all
}
