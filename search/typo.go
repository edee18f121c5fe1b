package search

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/vellum/levenshtein"
)

// Words shorter than leastForOne and words with a digit must match exactly, because words similar to them usually have
// another meaning. Two errors are accepted only in words of at least leastForTwo bytes with a correct first letter.
// Words longer than mostLetters must match exactly, because the work grows with the length.
const (
	leastForOne = 3
	leastForTwo = 6
	mostLetters = 40
)

// automata returns builders of automata that accept words with at most one or two typing errors, indexed by the number
// of errors. An error is an extra, missing or wrong letter, or two neighbouring letters swapped.
var automata = sync.OnceValue(func() (all [3]*levenshtein.LevenshteinAutomatonBuilder) {
	for errors := 1; errors < len(all); errors++ {
		builder, err := levenshtein.NewLevenshteinAutomatonBuilder(uint8(errors), true)
		if err != nil { // independent of the query
			panic(fmt.Sprintf("index: making the automaton of %d typing errors: %v", errors, err))
		}

		all[errors] = builder
	}

	return all
})

// matchWithTypos returns the docs that match with one typing error or, if there are none, with two errors in one or two
// words.
func (x *Index) matchWithTypos(key string, within []*roaring.Bitmap) matches {
	if n := len(strings.Fields(key)); n == 0 || n > maxFuzzyWords {
		return matches{all: roaring.New()}
	}

	t := typos{phrase: x.newPhrase(key, within), near: map[nearQuery][]correction{}}
	t.correctOneWord(1)
	if len(t.found) == 0 {
		t.twoErrors()
	}

	found := union(t.found...)
	return matches{all: found, tiers: []*roaring.Bitmap{union(t.exactNames...), x.complete(found, t.words)}}
}

// typos searches for a phrase with typing errors.
type typos struct {
	phrase
	near       map[nearQuery][]correction // cache of nearWord
	found      []*roaring.Bitmap          // docs that match
	exactNames []*roaring.Bitmap          // docs whose name is the phrase with one word corrected
}

// nearQuery is a key of typos.near: the position of a word in the phrase, and the maximum edit distance from it.
type nearQuery struct {
	position int
	errors   uint8
}

// correction is a word near the typed word, with its docs.
type correction struct {
	word string
	docs *roaring.Bitmap
}

// twoErrors finds the docs that match if one word has two typing errors, or if two words have one each.
func (t *typos) twoErrors() {
	t.correctOneWord(2)
	for j := range t.words {
		for i := range j {
			docs := t.docsWithoutTwo(i, j)
			for _, position := range []int{i, j} {
				if docs.IsEmpty() {
					break
				}
				docs = roaring.And(docs, unionOf(t.nearWord(nearQuery{position, 1})))
			}

			t.found = append(t.found, docs)
		}
	}
}

// correctOneWord finds the docs that match if one word has the given number of typing errors.
func (t *typos) correctOneWord(errors uint8) {
	for i := range t.words {
		others := t.docsWithout(i, i+1)
		if others.IsEmpty() {
			continue
		}

		for _, c := range t.nearWord(nearQuery{i, errors}) {
			docs := t.x.common(others, c.docs)
			if docs.IsEmpty() {
				continue
			}

			t.found = append(t.found, docs)
			if len(t.words) > 1 {
				t.exactNames = append(t.exactNames, t.x.withKey(t.withWord(i, c.word)))
			}
		}
	}
}

// withWord returns the phrase with another word at a position.
func (t *typos) withWord(position int, word string) string {
	corrected := slices.Clone(t.words)
	corrected[position] = word
	return strings.Join(corrected, " ")
}

// docsWithoutTwo returns the docs that contain all words except those at positions i and j, for i < j.
func (t *typos) docsWithoutTwo(i, j int) *roaring.Bitmap {
	p := t.phrase
	p.within = []*roaring.Bitmap{t.docsWithout(i, len(t.words))} // the words before i
	p.words, p.whole = t.words[i+1:], t.whole[i+1:]
	return p.docsWithout(j-i-1, j-i)
}

func unionOf(near []correction) *roaring.Bitmap {
	var sets []*roaring.Bitmap
	for _, c := range near {
		sets = append(sets, c.docs)
	}
	return union(sets...)
}

// nearWord returns the indexed words within the given number of errors. It returns none for a word that must match
// exactly.
func (t *typos) nearWord(near nearQuery) []correction {
	word := t.words[near.position]
	if found, known := t.near[near]; known || !isForgivable(word, near.errors) {
		return found
	}

	automaton, err := automata()[near.errors].BuildDfa(string(ofWord)+word, near.errors)
	if err != nil { // only with more states than vellum permits, which mostLetters prevents
		panic(err)
	}

	prefix := ""
	if near.errors > 1 {
		prefix = word[:1]
	}

	var found []correction
	for word, docs := range t.x.wordsWithPrefix(automaton, prefix) {
		found = append(found, correction{word, docs})
	}

	t.near[near] = found
	return found
}

func isForgivable(word string, errors uint8) bool {
	least := leastForOne
	if errors > 1 {
		least = leastForTwo
	}
	return len(word) >= least && len(word) <= mostLetters && !strings.ContainsAny(word, "0123456789")
}
