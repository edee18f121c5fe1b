// Package words finds short names by typed text, regardless of diacritics, case, hyphens and the order of words.
package words

import (
	"strings"

	"github.com/bits-and-blooms/bitset"

	"github.com/rodata/rodata/internal/spelling"
)

// Entry is a searchable entry.
type Entry struct {
	// Names are the entry's names. Each of them finds the entry.
	Names []string
	// Context is text that people type in addition to a name, such as the kind of place or its county. On its own, it
	// finds nothing.
	Context []string
	// Broader are the names of the entry's parents. They count only in an index with phrases, and only if nothing else
	// is found.
	Broader []string
}

// Set is a set of entries, by their numbers. All sets of an [Index] have the same length.
type Set = *bitset.BitSet

// NewSet returns an empty set of numbers below n.
func NewSet(n int) Set { return bitset.New(uint(n)) }

func addAll(to Set, entries []int32) {
	bits := to.Words() // twice as fast as Set
	for _, i := range entries {
		bits[i/64] |= 1 << (i % 64)
	}
}

// Index finds entries by words. The number of an entry is its position in the list from which the index was built. It
// is also the entry's rank among equals. An Index is immutable, and therefore safe for concurrent use.
type Index struct {
	size           int
	names, context lexicon   // of words
	joined         lexicon   // of names without their spaces
	everyday       *synonyms // nil without phrases
}

// NewIndex builds an index of entries and, if there are any, of phrases for them.
func NewIndex(entries []Entry, phrases ...Phrase) *Index {
	x := &Index{size: len(entries)}
	names, context, whole := map[string][]int32{}, map[string][]int32{}, map[string][]int32{}
	folded := map[string][]string{} // contexts repeat
	for i, e := range entries {
		for _, name := range e.Names {
			for _, form := range spelling.Spellings(name) {
				post(whole, join(strings.Fields(form)), int32(i))
				post(names, form, int32(i))
			}
		}

		for _, text := range e.Context {
			if folded[text] == nil {
				folded[text] = spelling.Spellings(text)
			}

			for _, form := range folded[text] {
				post(context, form, int32(i))
			}
		}
	}

	x.names, x.context, x.joined = newLexicon(names), newLexicon(context), newLexicon(whole)
	if len(phrases) > 0 {
		x.everyday = newSynonyms(entries, phrases)
	}

	return x
}

func post(postings map[string][]int32, text string, entry int32) {
	for word := range strings.FieldsSeq(text) {
		if p := postings[word]; len(p) == 0 || p[len(p)-1] != entry {
			postings[word] = append(p, entry)
		}
	}
}

func join(words []string) string { return strings.Join(words, "") }

// All returns the set of all entries.
func (x *Index) All() Set { return NewSet(x.size).SetAll() }

// WithName returns the entries with a name that equals the text, apart from spaces, hyphens, case and diacritics.
func (x *Index) WithName(text string) Set {
	s := NewSet(x.size)
	x.joined.add(join(strings.Fields(spelling.Fold(text))), false, s)
	return s
}
