package search

import (
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"
)

// A posting is the set of docs of one term.
//
// The lexicon (a vellum FST) maps each term to a number, the value. An odd value stands for a set with a single doc,
// value/2. An even value is twice the offset of the set in the postings file, in units of 8 bytes. There, the set is a
// Roaring bitmap in the portable format, which is read in place without copying.

const alignment = 8

func valueOfDoc(doc uint32) uint64 { return uint64(doc)<<1 | 1 }

// postings is the file being written.
type postings struct{ *output }

// add writes a set of ascending docs and returns its value. A set with a single doc is not written, because its value
// contains the doc.
func (p postings) add(docs []uint32) (uint64, error) {
	if len(docs) == 1 {
		return valueOfDoc(docs[0]), nil
	}

	set := roaring.New()
	set.AddMany(docs)
	return p.addSet(set)
}

// addSet writes a set and returns its value. It is not run-optimised: uniting many small sets with runs is slow.
func (p postings) addSet(set *roaring.Bitmap) (uint64, error) {
	at := p.size
	if _, err := set.WriteTo(p); err != nil {
		return 0, err
	}

	if odd := p.size % alignment; odd != 0 {
		if _, err := p.Write(make([]byte, alignment-odd)); err != nil {
			return 0, err
		}
	}

	return uint64(at/alignment) << 1, nil
}

// posting returns the set of a value. The caller must not modify the set.
func (x *Index) posting(value uint64) *roaring.Bitmap {
	if value&1 == 1 {
		return roaring.BitmapOf(uint32(value >> 1))
	}

	at := value >> 1 * alignment
	if at >= uint64(len(x.postings)) {
		panic(damage{fmt.Errorf("reading a posting at byte %d of %d", at, len(x.postings))})
	}

	set := roaring.New()
	if _, err := set.FromBuffer(x.postings[at:]); err != nil {
		panic(damage{fmt.Errorf("reading a posting at byte %d: %w", at, err)})
	}

	return set
}

// damage is what a search panics with when it reads a damaged part of a file that Open does not check, because none of
// its steps can handle the error.
type damage struct{ error }

// recoverDamage converts such a panic to an error, which names the activity. Exported methods defer it.
func recoverDamage(err *error, during string) {
	switch found := recover().(type) {
	case nil:
	case damage:
		*err = fmt.Errorf("%s: %w", during, found.error)
	default:
		panic(found)
	}
}
