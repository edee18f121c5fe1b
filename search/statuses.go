package search

import (
	"github.com/RoaringBitmap/roaring/v2"

	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/ro"
)

// searchable are the statuses by which companies can be searched.
var searchable = [...]history.Status{history.VATPayer, history.Inactive, history.EInvoice}

// Looks holds the results of looks at the firms of an index, as sets of docs. It takes at most 4 MB for 4.2 million
// firms. It is not safe for concurrent changes, so searches use a clone.
type Looks struct {
	known        *roaring.Bitmap
	holds, lacks [len(searchable)]*roaring.Bitmap // the firms with and without a status
}

// NewLooks returns an empty set of results.
func NewLooks() *Looks {
	l := &Looks{known: roaring.New()}
	for i := range searchable {
		l.holds[i], l.lacks[i] = roaring.New(), roaring.New()
	}
	return l
}

// Clone returns a copy.
func (l *Looks) Clone() *Looks {
	c := &Looks{known: l.known.Clone()}
	for i := range searchable {
		c.holds[i], c.lacks[i] = l.holds[i].Clone(), l.lacks[i].Clone()
	}
	return c
}

// Learn records the result of a look at the firms with a tax id, and reports whether this changed l. A firm whose
// result has none of the searchable statuses counts as not looked at.
func (x *Index) Learn(l *Looks, id ro.CUI, statuses history.Statuses) (changed bool) {
	for doc := range x.taxIDs.docs(uint64(id)) {
		known := false
		for i, status := range searchable {
			holds, lacks := statuses.Is(status, true), statuses.Is(status, false)
			known = known || holds || lacks
			changed = set(l.holds[i], doc, holds) || changed
			changed = set(l.lacks[i], doc, lacks) || changed
		}

		changed = set(l.known, doc, known) || changed
	}

	return changed
}

// set adds a doc to a set or removes it, and reports whether the set changed.
func set(of *roaring.Bitmap, doc uint32, member bool) bool {
	if member {
		return of.CheckedAdd(doc)
	}
	return of.CheckedRemove(doc)
}

// filter returns the docs with statuses that match the query, and the number of docs that were never looked at.
func (q *Query) filter(all *roaring.Bitmap) (found *roaring.Bitmap, unknown int) {
	if q.Statuses == 0 {
		return all, 0
	}

	found = all
	for i, status := range searchable {
		switch {
		case q.Statuses.Is(status, true):
			found = roaring.And(found, q.Looks.holds[i])
		case q.Statuses.Is(status, false):
			found = roaring.And(found, q.Looks.lacks[i])
		}
	}

	return found, int(all.GetCardinality() - all.AndCardinality(q.Looks.known))
}
