package index

import (
	"github.com/RoaringBitmap/roaring/v2"
)

// An incomplete word matches all words that begin with it. If they are few, their postings are united when it is asked
// for. Each of the first letters that more than manyWords words share has a posting of its own, so that no search
// unites more postings than that, except of words that share more than maxBegun letters.
const (
	manyWords = 32
	maxBegun  = 8
)

// begunBuilder writes those postings, for words that come in order.
type begunBuilder struct {
	sets postings
	last string
	open [maxBegun + 1]beginning // by length, of the last word
	done map[string]uint64       // values
}

// beginning is what is known about the words that share their first letters.
type beginning struct {
	words int
	docs  *roaring.Bitmap
}

// add takes the next word and its docs.
func (b *begunBuilder) add(word string, docs []uint32) error {
	shared := 0
	for shared < min(len(word), len(b.last)) && word[shared] == b.last[shared] {
		shared++
	}
	if err := b.close(shared); err != nil {
		return err
	}

	for n := 1; n <= min(len(word), maxBegun); n++ {
		if b.open[n].docs == nil {
			b.open[n].docs = roaring.New()
		}
		b.open[n].words++
		b.open[n].docs.AddMany(docs)
	}
	b.last = word
	return nil
}

// close closes the beginnings that are longer than a length.
func (b *begunBuilder) close(length int) (err error) {
	for n := length + 1; n <= min(len(b.last), maxBegun) && err == nil; n++ {
		if b.open[n].words > manyWords {
			b.done[b.last[:n]], err = b.sets.addSet(b.open[n].docs)
		}
		b.open[n] = beginning{}
	}
	return err
}

// begun returns the docs with a word that begins with some letters. The set must not be changed.
func (x *Index) begun(letters string) (*roaring.Bitmap, error) {
	if value, ok, err := x.lexicon.Get([]byte(string(ofBegun) + letters)); ok || err != nil {
		if err != nil {
			return nil, err
		}
		return x.posting(value)
	}

	var few []*roaring.Bitmap
	err := x.eachBegin(everyText, ofWord, letters, func(_ []byte, value uint64) error {
		docs, err := x.posting(value)
		few = append(few, docs)
		return err
	})
	return union(few...), err
}
