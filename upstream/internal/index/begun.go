package index

import (
	"github.com/RoaringBitmap/roaring/v2"
)

// An incomplete word matches all words that begin with it. For few words, the union of their postings is computed on
// demand. A prefix that more than manyWords words share has a posting of its own, so that a search never unites more
// than manyWords postings, except for prefixes longer than maxBegun letters.
const (
	manyWords = 32
	maxBegun  = 8
)

// begunBuilder writes the postings of prefixes. It must get the words in order.
type begunBuilder struct {
	sets postings
	last string
	open [maxBegun + 1]beginning // by length, of the last word
	done map[string]uint64       // values
}

// beginning collects the data about the words with a common prefix.
type beginning struct {
	words int
	docs  *roaring.Bitmap
}

// add adds the next word and its docs.
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

// close finishes the prefixes that are longer than a length.
func (b *begunBuilder) close(length int) (err error) {
	for n := length + 1; n <= min(len(b.last), maxBegun) && err == nil; n++ {
		if b.open[n].words > manyWords {
			b.done[b.last[:n]], err = b.sets.addSet(b.open[n].docs)
		}
		b.open[n] = beginning{}
	}

	return err
}

// begun returns the docs with a word that begins with the letters. The caller must not modify the set.
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
