package search

import (
	"github.com/RoaringBitmap/roaring/v2"
)

// Status is one of a company's statuses in the tax authority's registers.
type Status int

// The statuses by which companies can be searched.
const (
	VATPayer Status = iota
	Inactive
	EInvoice

	statusCount
)

// Truth is the value of a status: yes, no, or unknown, which is the zero value.
type Truth uint8

// The known values.
const (
	No  Truth = 1
	Yes Truth = 2
)

// Statuses holds the statuses of a company according to a look.
type Statuses [statusCount]Truth

// Looks holds the results of looks at the firms of an index, as sets of docs. It takes at most 4 MB for 4.2 million
// firms. It is not safe for concurrent changes, so searches use a clone.
type Looks struct {
	known *roaring.Bitmap
	holds [statusCount][2]*roaring.Bitmap // No and Yes
}

// NewLooks returns an empty set of results.
func NewLooks() *Looks {
	l := &Looks{known: roaring.New()}
	for status := range l.holds {
		l.holds[status] = [2]*roaring.Bitmap{roaring.New(), roaring.New()}
	}
	return l
}

// Clone returns a copy.
func (l *Looks) Clone() *Looks {
	c := &Looks{known: l.known.Clone()}
	for status, sets := range l.holds {
		c.holds[status] = [2]*roaring.Bitmap{sets[0].Clone(), sets[1].Clone()}
	}
	return c
}

// Learn records the result of a look at the firms with a tax id, and reports whether this changed l. A firm whose
// result has no known status counts as not looked at.
func (x *Index) Learn(l *Looks, id int64, statuses Statuses) (changed bool) {
	for doc := range x.taxIDs.docs(uint64(id)) {
		changed = set(l.known, doc, statuses != Statuses{}) || changed
		for status, truth := range statuses {
			changed = set(l.holds[status][0], doc, truth == No) || changed
			changed = set(l.holds[status][1], doc, truth == Yes) || changed
		}
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
	if q.Statuses == (Statuses{}) {
		return all, 0
	}

	found = all
	for status, truth := range q.Statuses {
		if truth != 0 {
			found = roaring.And(found, q.Looks.holds[status][truth-No])
		}
	}

	return found, int(all.GetCardinality() - all.AndCardinality(q.Looks.known))
}
