package caen

import (
	"slices"

	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/search/words"
)

// Search returns a page of the entries that match a query, and their total number. They are in the order of the
// classification or, if the query has a text, with the best match first. The descendants of a parent that Rev.3 dropped
// are those of its successors. A nonexistent parent has none.
func (r *Registry) Search(q reference.ActivityQuery) (page []reference.Activity, total int) {
	within, parents := words.NewSet(len(r.entries)), r.kept(q.Parent)
	for i := range r.entries {
		if r.fits(i, &q, parents) {
			within.Set(uint(i))
		}
	}

	found := r.index.Find(string(q.Q), within, false)
	page = []reference.Activity{}
	for _, i := range found.Page(int(q.Limit), int(q.Offset)) {
		page = append(page, r.entries[i].Activity)
	}

	return page, found.Len()
}

// kept returns the entry of a code or, if Rev.3 dropped the code, those that replace it.
func (r *Registry) kept(code reference.CAENCode) []int {
	if i, ok := r.byCode[code]; ok {
		return []int{i}
	}
	return r.replacing[reference.Rev2Code(code)]
}

// fits reports whether an entry matches all of a query but its text. parents are the entries of q.Parent.
func (r *Registry) fits(i int, q *reference.ActivityQuery, parents []int) bool {
	e := &r.entries[i]
	return (q.Code == nil || q.Code.Has(e.Code)) &&
		(q.Type == "" || q.Type == e.Type) &&
		(q.Parent == "" || r.isBelow(e, parents, q.Type != "")) &&
		(q.Replaces == "" || slices.Contains(r.replacing[q.Replaces], i))
}

// isBelow reports whether an entry is a child of one of the parents or, if deep is set, a descendant at any depth.
func (r *Registry) isBelow(e *entry, parents []int, deep bool) bool {
	for up := e.parent; up >= 0; up = r.entries[up].parent {
		if slices.Contains(parents, up) {
			return true
		}
		if !deep {
			return false
		}
	}

	return false
}
