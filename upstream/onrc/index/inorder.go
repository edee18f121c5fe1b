package index

import (
	"math/bits"

	"github.com/RoaringBitmap/roaring/v2"
)

// inOrder are the docs of a set from one place on and before another in an order.
// There are two ways to them: to walk along the order and count those that are in
// the set, or to mark the place of each doc of the set and count the marks. The
// first is short for pages near either end of large sets, the second for small sets.
func (x *Index) inOrder(o order, turned bool, set *roaring.Bitmap, total, from, before int) []uint32 {
	n := o.len()
	at := func(place int) uint32 {
		if turned {
			place = o.turned(place)
		}
		return o.doc(place)
	}
	docs := make([]uint32, 0, before-from)
	if total == n {
		for place := from; place < before; place++ {
			docs = append(docs, at(place))
		}
		return docs
	}
	marks := x.dense.Get().(*[]uint64)
	defer x.dense.Put(marks)
	clear(*marks)
	if steps := min(before, total-from) * n / total; steps > total {
		markPlaces(*marks, o, turned, set)
		for place := range spanOf(*marks, from, before) {
			docs = append(docs, at(place))
		}
		return docs
	}
	set.WriteDenseTo(*marks)
	return walk(docs, *marks, at, n, total, from, before)
}

// markPlaces marks the places of the docs of a set.
func markPlaces(marks []uint64, o order, turned bool, set *roaring.Bitmap) {
	var some [1024]uint32
	for it := set.ManyIterator(); ; {
		n := it.NextMany(some[:])
		if n == 0 {
			return
		}
		for _, doc := range some[:n] {
			place := o.place(doc)
			if turned {
				place = o.turned(place)
			}
			marks[place/64] |= 1 << (place % 64)
		}
	}
}

// spanOf gives the marked places from one of them on and before another.
func spanOf(marks []uint64, from, before int) func(yield func(place int) bool) {
	return func(yield func(place int) bool) {
		count := 0
		for i, word := range marks {
			n := bits.OnesCount64(word)
			if count+n <= from {
				count += n
				continue
			}
			for ; word != 0; word &= word - 1 {
				if count >= before || count >= from && !yield(64*i+bits.TrailingZeros64(word)) {
					return
				}
				count++
			}
		}
	}
}

// walk adds the marked docs from one place on and before another in an order of n,
// in which there are total, coming from the nearer end.
func walk(docs []uint32, marks []uint64, at func(place int) uint32, n, total, from, before int) []uint32 {
	marked := func(doc uint32) bool { return marks[doc/64]>>(doc%64)&1 == 1 }
	if from <= total-before {
		for place, count := 0, 0; count < before; place++ {
			if doc := at(place); marked(doc) {
				if count >= from {
					docs = append(docs, doc)
				}
				count++
			}
		}
		return docs
	}
	docs = docs[:before-from]
	for place, count := n-1, total-1; count >= from; place-- {
		if doc := at(place); marked(doc) {
			if count < before {
				docs[count-from] = doc
			}
			count--
		}
	}
	return docs
}
