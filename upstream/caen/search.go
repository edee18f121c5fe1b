package caen

import (
	"slices"

	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/search/words"
)

// Search returns a page of the entries that match a query, and their total number. They are in the order of the
// classification or, if the query has a text, with the best match first. A nonexistent parent has no descendants.
func (r *Registry) Search(q reference.ActivityQuery) (page []reference.Activity, total int) {
	within := words.NewSet(len(r.entries))
	for i := range r.entries {
		if r.fits(i, &q) {
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

func (r *Registry) fits(i int, q *reference.ActivityQuery) bool {
	e := &r.entries[i]
	return (q.Code == nil || q.Code.Has(e.Code)) &&
		(q.Type == "" || q.Type == e.Type) &&
		(q.Parent == "" || r.isBelow(e, q.Parent, q.Type != "")) &&
		(q.Replaces == "" || slices.Contains(r.replacing[q.Replaces], i))
}

// isBelow reports whether an entry is a child of a code or, if deep is set, a descendant at any depth.
func (r *Registry) isBelow(e *entry, code reference.CAENCode, deep bool) bool {
	for up := e.parent; up >= 0; up = r.entries[up].parent {
		if r.entries[up].Code == code {
			return true
		}
		if !deep {
			return false
		}
	}

	return false
}
