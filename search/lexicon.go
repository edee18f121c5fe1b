package search

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/vellum"
)

// lexiconBuilder collects the docs of each term.
type lexiconBuilder struct {
	positions map[string]int // of terms, in lists
	lists     []docList
	term      []byte // reused by add
}

// docList is a list of ascending docs. Each is stored as a varint with the difference from the previous doc, starting
// from 0.
type docList struct {
	last        uint32
	differences []byte
}

// add adds a doc to a term. Docs must be added in ascending order.
func (b *lexiconBuilder) add(field byte, text string, doc uint32) {
	b.term = append(append(b.term[:0], field), text...)
	position, ok := b.positions[string(b.term)]
	if !ok {
		position = len(b.lists)
		b.positions[string(b.term)] = position
		b.lists = append(b.lists, docList{})
	}

	list := &b.lists[position]
	list.differences = binary.AppendUvarint(list.differences, uint64(doc-list.last))
	list.last = doc
}

// appendDocs appends the docs of the list.
func (l docList) appendDocs(docs []uint32) []uint32 {
	doc := uint64(0)
	for rest := l.differences; len(rest) > 0; {
		difference, n := binary.Uvarint(rest)
		rest = rest[n:]
		doc += difference
		docs = append(docs, uint32(doc))
	}

	return docs
}

// write writes the postings of all terms and the lexicon with their values, and then empties the builder.
func (b *lexiconBuilder) write(ctx context.Context, lexicon *output, sets postings) error {
	fst, err := vellum.New(lexicon, nil)
	if err != nil {
		return err
	}

	terms := slices.Sorted(maps.Keys(b.positions))
	prefixes := prefixBuilder{sets: sets, done: map[string]uint64{}}
	var docs []uint32
	for i, term := range terms {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}

		docs = b.lists[b.positions[term]].appendDocs(docs[:0])
		value, err := sets.add(docs)
		if err != nil {
			return err
		}
		if err := fst.Insert([]byte(term), value); err != nil {
			return err
		}

		if term[0] == ofWord {
			if err := prefixes.add(term[1:], docs); err != nil {
				return err
			}
		}
	}

	*b = lexiconBuilder{}
	if err := prefixes.close(0); err != nil {
		return err
	}

	for _, letters := range slices.Sorted(maps.Keys(prefixes.done)) {
		if err := fst.Insert(append([]byte{ofPrefix}, letters...), prefixes.done[letters]); err != nil {
			return err
		}
	}

	return fst.Close()
}

// docs returns the docs of a term, or an empty set for an unknown term. The caller must not modify the set.
func (x *Index) docs(term string) *roaring.Bitmap {
	if value, ok := x.value(term); ok {
		return x.posting(value)
	}
	return roaring.New()
}

// value returns the value of a term. It reports false for an unknown term.
func (x *Index) value(term string) (uint64, bool) {
	value, ok, err := x.lexicon.Get([]byte(term))
	if err != nil {
		panic(damage{err})
	}
	return value, ok
}

var anyText = &vellum.AlwaysMatch{}

// wordsWithPrefix iterates, in order, over the words that begin with some letters and that an automaton accepts, with
// their docs.
func (x *Index) wordsWithPrefix(accept vellum.Automaton, letters string) iter.Seq2[string, *roaring.Bitmap] {
	return func(yield func(string, *roaring.Bitmap) bool) {
		from := append([]byte{ofWord}, letters...)
		before := slices.Clone(from)
		before[len(before)-1]++ // no byte of UTF-8 is 255
		it, err := x.lexicon.Search(accept, from, before)
		for ; err == nil; err = it.Next() {
			term, value := it.Current()
			if !yield(string(term[1:]), x.posting(value)) {
				return
			}
		}

		if !errors.Is(err, vellum.ErrIteratorDone) {
			panic(damage{err})
		}
	}
}
