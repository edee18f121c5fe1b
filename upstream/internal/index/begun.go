package index

import (
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
)

// Who types the beginning of a word means all words that begin so. Few words are
// looked up and united when asked for. For beginnings of more than manyWords
// the union is a posting of its own, filed under the letters that all its words
// share: if all words in "constr" go on with "uct", there is one posting, for
// "construct", and who asks for "const" or "constr" finds it as the next one in the
// lexicon. So no beginning costs more than manyWords look-ups.
const manyWords = 32

// begunBuilder makes those postings of words that come in order. It walks the
// tree of their beginnings, of which it holds only the way to the last word.
type begunBuilder struct {
	sets postings
	last string
	way  []branch
	docs []uint32 // of the words on the way, one branch after the other
	done []node
}

// branch is a beginning, with how many words and which docs are known for it:
// all from its first on.
type branch struct{ length, words, first int }

// node is a beginning with a posting.
type node struct {
	letters string
	value   uint64
}

// add takes the next word and its docs.
func (b *begunBuilder) add(word string, docs []uint32) error {
	if err := b.backTo(shared(b.last, word)); err != nil {
		return err
	}
	b.way = append(b.way, branch{len(word), 1, len(b.docs)})
	b.docs = append(b.docs, docs...)
	b.last = word
	return nil
}

// backTo closes the branches that are longer than a length, each into the one
// before it.
func (b *begunBuilder) backTo(length int) error {
	for len(b.way) > 0 && b.way[len(b.way)-1].length > length {
		closed := b.way[len(b.way)-1]
		b.way = b.way[:len(b.way)-1]
		if closed.words > manyWords {
			if err := b.post(closed); err != nil {
				return err
			}
		}

		if top := len(b.way) - 1; top >= 0 && b.way[top].length >= length {
			b.way[top].words += closed.words
		} else {
			b.way = append(b.way, branch{length, closed.words, closed.first})
		}
	}

	if length == 0 { // nobody asks for all words
		b.way, b.docs = b.way[:0], b.docs[:0]
	}
	return nil
}

func (b *begunBuilder) post(at branch) error {
	docs := b.docs[at.first:]
	slices.Sort(docs)
	docs = slices.Compact(docs)
	b.docs = b.docs[:at.first+len(docs)]
	value, err := b.sets.add(docs)
	b.done = append(b.done, node{b.last[:at.length], value})
	return err
}

// finish gives the beginnings in order.
func (b *begunBuilder) finish() ([]node, error) {
	err := b.backTo(0)
	slices.SortFunc(b.done, func(a, b node) int { return strings.Compare(a.letters, b.letters) })
	return b.done, err
}

// shared is how many bytes two words have in common at their beginning.
func shared(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// begun is the set of docs with a word that begins with some letters. It must not
// be changed.
func (x *Index) begun(letters string) (*roaring.Bitmap, error) {
	var found *roaring.Bitmap
	first := func(_ []byte, value uint64) (more bool, err error) {
		found, err = x.posting(value)
		return false, err
	}

	if err := x.eachBegin(everyText, ofBegun, letters, first); err != nil || found != nil {
		return found, err
	}
	var few []*roaring.Bitmap
	every := func(_ []byte, value uint64) (bool, error) {
		docs, err := x.posting(value)
		few = append(few, docs)
		return true, err
	}

	if err := x.eachBegin(everyText, ofWord, letters, every); err != nil {
		return nil, err
	}
	return union(few...), nil
}
