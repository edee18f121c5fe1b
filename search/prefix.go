package search

import (
	"github.com/RoaringBitmap/roaring/v2"
)

// An incomplete word matches all words that begin with it. For few words, the union of their postings is computed on
// demand. A prefix that more than manyWords words share has a posting of its own, so that a search never unites more
// than manyWords postings, except for prefixes longer than maxPrefix letters.
const (
	manyWords = 32
	maxPrefix = 8
)

// prefixBuilder writes the postings of prefixes. It must get the words in order.
type prefixBuilder struct {
	sets postings
	last string
	open [maxPrefix + 1]openPrefix // by length, of the last word
	done map[string]uint64         // values
}

// openPrefix collects the data about the words with a common prefix.
type openPrefix struct {
	words int
	docs  *roaring.Bitmap
}

// add adds the next word and its docs.
func (b *prefixBuilder) add(word string, docs []uint32) error {
	shared := 0
	for shared < min(len(word), len(b.last)) && word[shared] == b.last[shared] {
		shared++
	}
	if err := b.close(shared); err != nil {
		return err
	}

	for n := 1; n <= min(len(word), maxPrefix); n++ {
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
func (b *prefixBuilder) close(length int) (err error) {
	for n := length + 1; n <= min(len(b.last), maxPrefix) && err == nil; n++ {
		if b.open[n].words > manyWords {
			b.done[b.last[:n]], err = b.sets.addSet(b.open[n].docs)
		}
		b.open[n] = openPrefix{}
	}

	return err
}

// withPrefix returns the docs with a word that begins with the letters. The caller must not modify the set.
func (x *Index) withPrefix(letters string) *roaring.Bitmap {
	if value, ok := x.value(string(ofPrefix) + letters); ok {
		return x.posting(value)
	}

	var few []*roaring.Bitmap
	for _, docs := range x.wordsWithPrefix(anyText, letters) {
		few = append(few, docs)
	}

	return union(few...)
}
