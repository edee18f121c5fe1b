package search

import (
	"math/rand/v2"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
)

func TestPartsOfAnIntersection(t *testing.T) {
	const docs = 20 * windowDocs
	random := rand.New(rand.NewPCG(1, 2))
	sample := func(n, from, before int) *roaring.Bitmap {
		set := roaring.New()
		for range n {
			set.Add(uint32(from + random.IntN(before-from)))
		}
		return set
	}
	sets := map[string]*roaring.Bitmap{
		"none": roaring.New(), "all": span(0, docs), "one": roaring.BitmapOf(docs / 2),
		"few":  sample(fewDocs/2, 0, docs),
		"thin": sample(5*fewDocs, 0, docs), "dense": sample(docs/4, 0, docs),
		"neighbours": span(3*windowDocs+7, 9*windowDocs+1), "end": sample(docs/8, 15*windowDocs, docs),
	}

	for nameA, a := range sets {
		for nameB, b := range sets {
			t.Run(nameA+" and "+nameB, func(t *testing.T) {
				copyA, copyB := a.Clone(), b.Clone()
				want, got := roaring.And(a, b), roaring.New()
				for part := range intersection(a, b) {
					if !part.IsEmpty() && !got.IsEmpty() && part.Minimum() <= got.Maximum() {
						t.Errorf("a part begins at %d, the previous one ends at %d", part.Minimum(), got.Maximum())
					}

					got.Or(part)
					part.Xor(span(0, docs)) // parts share no memory with the sets
				}

				if !got.Equals(want) {
					t.Errorf("the parts have %d docs, the intersection %d", got.GetCardinality(), want.GetCardinality())
				}
				if !a.Equals(copyA) || !b.Equals(copyB) {
					t.Error("changing a part changed a set")
				}
			})
		}
	}
}

// byRelevance returns the same order for any page size, even if a tier is computed in several windows.
func TestPagesOfLargeTiersJoin(t *testing.T) {
	const docs, total = 6 * windowDocs, 4 * windowDocs
	x := &Index{operating: roaring.New(), withoutTaxID: roaring.New()}
	for doc := range uint32(docs) {
		if doc%3 != 0 {
			x.operating.Add(doc)
		}
		if doc%50 == 0 {
			x.withoutTaxID.Add(doc)
		}
	}

	found := matches{
		all:   span(windowDocs, windowDocs+total),
		tiers: []*roaring.Bitmap{roaring.BitmapOf(1, 2*windowDocs), span(3*windowDocs, docs), span(0, 4*windowDocs)},
	}

	want := make([]uint32, 0, total)
	for _, withoutTaxID := range []bool{false, true} {
		rest := found.all.Clone()
		for _, tier := range append(found.tiers, found.all) {
			for _, operating := range []bool{true, false} {
				part := roaring.And(rest, tier)
				for it := part.Iterator(); it.HasNext(); {
					doc := it.Next()
					if x.withoutTaxID.Contains(doc) == withoutTaxID && x.operating.Contains(doc) == operating {
						want = append(want, doc)
					}
				}
			}

			rest.AndNot(tier)
		}
	}

	if len(want) != total {
		t.Fatalf("the expected order has %d docs, want %d", len(want), total)
	}

	for _, from := range []int{0, 1, 2, 1000, windowDocs - 5, 2*windowDocs + 3, total - windowDocs/50, total - 7} {
		for _, size := range []int{1, 10, 100, 5 * windowDocs} {
			before := min(from+size, total)
			got := x.byRelevance(found, from, before)
			if len(got) != before-from {
				t.Errorf("the page [%d, %d) has %d docs", from, before, len(got))
				continue
			}

			for i, doc := range got {
				if doc != want[from+i] {
					t.Errorf("position %d of the page [%d, %d) is %d, want %d", i, from, before, doc, want[from+i])
					break
				}
			}
		}
	}
}
