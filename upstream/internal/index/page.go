package index

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

	sorted := q.Sort
	if sorted == "" {
		sorted = "name"
		if q.Text != "" {
			sorted = "relevance"
		}
	}

	switch sorted {
	case "registrationDate":
		return x.inOrder(x.dates.inDirection(q.Direction), found.all, total, from, before)
	case "taxId":
		return x.inOrder(x.taxOrder.inDirection(q.Direction), found.all, total, from, before)
	case "name":
		return byName(found.all, q.Direction == "desc", total, from, before)
	}

	return x.byRelevance(found, from, before)
}

// byName returns docs of a set at the positions [from, before), by name.
func byName(set *roaring.Bitmap, turned bool, total, from, before int) []uint32 {
	if !turned {
		return appendSpan(nil, set, from, before)
	}
	docs := appendSpan(nil, set, total-before, total-from)
	slices.Reverse(docs)
	return docs
}

// appendSpan appends the docs of a set at the positions [from, before).
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

// byRelevance returns matches at the positions [from, before): tier by tier, in each tier those in operation first.
// Firms without a tax id come last, however well they match, because they have no profile.
func (x *Index) byRelevance(found matches, from, before int) (docs []uint32) {
	want := before - from
	for part := range x.ranked(found) {
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

// ranked iterates over parts of the matches, the most relevant first.
func (x *Index) ranked(found matches) iter.Seq[*roaring.Bitmap] {
	halves := []*roaring.Bitmap{found.all}
	if found.all.Intersects(x.numberless) {
		halves = []*roaring.Bitmap{roaring.AndNot(found.all, x.numberless), roaring.And(found.all, x.numberless)}
	}
	return func(yield func(*roaring.Bitmap) bool) {
		for _, rest := range halves {
			for _, tier := range append(slices.Clip(found.tiers), rest) {
				tier = roaring.And(rest, tier)
				if tier.IsEmpty() {
					continue
				}

				rest = roaring.AndNot(rest, tier)
				if !yield(roaring.And(tier, x.operating)) || !yield(roaring.AndNot(tier, x.operating)) {
					return
				}
			}
		}
	}
}
