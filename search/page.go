package search

import (
	"iter"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// page returns the docs of the requested page.
func (x *Index) page(found matches, q *Query, total int) []uint32 {
	from, before := min(q.Offset, total), min(q.Offset+q.Limit, total)
	if from == before {
		return nil
	}

	if figure, ok := q.Sort.Figure(); ok {
		return x.byFigure(found.all, &q.Figures.by[figure], q.Direction, from, before)
	}

	switch {
	case q.Sort == "registrationDate":
		return x.inOrder(x.dates.inDirection(q.Direction), found.all, total, from, before)
	case q.Sort == "taxId":
		return x.inOrder(x.taxOrder.inDirection(q.Direction), found.all, total, from, before)
	case q.Sort == "name" || q.Sort == "" && q.Text == "":
		return byName(found.all, q.Direction == "desc", total, from, before)
	}

	return x.byRelevance(found, from, before)
}

// byName returns the docs at positions [from, before) of a set sorted by name. Docs are numbered in the order of names.
func byName(set *roaring.Bitmap, descending bool, total, from, before int) []uint32 {
	if !descending {
		return appendSpan(nil, set, from, before)
	}

	docs := appendSpan(nil, set, total-before, total-from)
	slices.Reverse(docs)
	return docs
}

// appendSpan appends the docs at positions [from, before) of a set.
func appendSpan(docs []uint32, set *roaring.Bitmap, from, before int) []uint32 {
	first, err := set.Select(uint32(from))
	if err != nil { // the set has fewer
		return docs
	}

	it := set.Iterator()
	it.AdvanceIfNeeded(first)
	for ; from < before && it.HasNext(); from++ {
		docs = append(docs, it.Next())
	}

	return docs
}

// byRelevance returns the matches at positions [from, before), sorted by tier and, within a tier, operating firms
// first. Firms without a tax id come last however well they match, because they have no profile.
func (x *Index) byRelevance(found matches, from, before int) (docs []uint32) {
	want := before - from
	for part := range x.byRank(found) {
		n := int(part.GetCardinality())
		if from < n {
			docs = appendSpan(docs, part, from, from+want-len(docs))
		}
		if len(docs) == want {
			break
		}

		from = max(0, from-n)
	}

	return docs
}

// byRank iterates over parts of the matches, the most relevant first. It computes each part only when the caller asks
// for it, because most pages need only the first docs of the first parts.
func (x *Index) byRank(found matches) iter.Seq[*roaring.Bitmap] {
	tiers := append(slices.Clip(found.tiers), found.all)
	return func(yield func(*roaring.Bitmap) bool) {
		if x.byRankIn(found.all, tiers, x.withoutTaxID, yield) {
			x.byRankIn(roaring.And(found.all, x.withoutTaxID), tiers, roaring.New(), yield)
		}
	}
}

// byRankIn yields the parts of a set in order of relevance, leaving out the docs in without. It returns false if yield
// returned false.
func (x *Index) byRankIn(set *roaring.Bitmap, tiers []*roaring.Bitmap, without *roaring.Bitmap,
	yield func(*roaring.Bitmap) bool) bool {
	for i, tier := range tiers {
		var idle []*roaring.Bitmap
		for part := range intersection(set, tier) {
			part.AndNot(without)
			for _, better := range tiers[:i] {
				part.AndNot(better)
			}
			if part.IsEmpty() {
				continue
			}

			if !yield(roaring.And(part, x.operating)) {
				return false
			}

			idle = append(idle, roaring.AndNot(part, x.operating))
		}

		for _, part := range idle {
			if !yield(part) {
				return false
			}
		}
	}

	return true
}

const (
	// fewDocs is the size of the smaller set up to which an intersection is computed in one part.
	fewDocs = 4096
	// windowDocs is the number of docs in a container of a Roaring bitmap.
	windowDocs = 1 << 16
)

// intersection yields the intersection of two sets in parts, sorted by name. Each part covers twice as many names as
// the previous one. So the first docs are available quickly, and computing all parts costs about as much as
// intersecting the sets at once.
func intersection(a, b *roaring.Bitmap) iter.Seq[*roaring.Bitmap] {
	return func(yield func(*roaring.Bitmap) bool) {
		if a.IsEmpty() || b.IsEmpty() {
			return
		}
		if min(a.GetCardinality(), b.GetCardinality()) <= fewDocs {
			yield(roaring.And(a, b))
			return
		}

		end := int(min(a.Maximum(), b.Maximum())) + 1
		from := int(max(a.Minimum(), b.Minimum())) / windowDocs * windowDocs
		for width := windowDocs; from < end; width *= 2 {
			part := roaring.And(a, span(from, from+width))
			part.And(b)
			if !yield(part) {
				return
			}

			from += width
		}
	}
}
