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
func (x *Index) matchWithTypos(key string, within []*roaring.Bitmap) (matches, error) {
	none := matches{all: roaring.New()}
	if n := len(strings.Fields(key)); n == 0 || n > maxFuzzyWords {
		return none, nil
	}

	p, err := x.newPhrase(key, within)
	if err != nil {
		return none, err
	}

	t := typos{phrase: p, near: map[nearQuery][]correction{}}
	for _, find := range []func() error{t.oneError, t.twoErrors} {
		if err := find(); err != nil {
			return none, err
		}
		if found := union(t.found...); !found.IsEmpty() {
			complete, err := x.complete(found, p.words)
			return matches{all: found, tiers: []*roaring.Bitmap{union(t.exactNames...), complete}}, err
		}
	}

	return none, nil
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

// oneError finds the docs that match if one word has a typing error.
func (t *typos) oneError() error { return t.correctOneWord(1) }

// twoErrors finds the docs that match if one word has two typing errors, or if two words have one each.
func (t *typos) twoErrors() error {
	if err := t.correctOneWord(2); err != nil {
		return err
	}

	for j := range t.words {
		for i := range j {
			docs := t.docsWithoutTwo(i, j)
			for _, position := range []int{i, j} {
				if docs.IsEmpty() {
					break
				}

				near, err := t.nearWord(nearQuery{position, 1})
				if err != nil {
					return err
				}

				docs = roaring.And(docs, unionOf(near))
			}

			t.found = append(t.found, docs)
		}
	}

	return nil
}

// correctOneWord finds the docs that match if one word has the given number of typing errors.
func (t *typos) correctOneWord(errors uint8) error {
	for i := range t.words {
		others := t.docsWithout(i, i+1)
		if others.IsEmpty() {
			continue
		}

		near, err := t.nearWord(nearQuery{i, errors})
		if err != nil {
			return err
		}

		for _, c := range near {
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

	return nil
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
func (t *typos) nearWord(near nearQuery) ([]correction, error) {
	word := t.words[near.position]
	if found, known := t.near[near]; known || !isForgivable(word, near.errors) {
		return found, nil
	}

	automaton, err := automata()[near.errors].BuildDfa(string(ofWord)+word, near.errors)
	if err != nil {
		return nil, err
	}

	var found []correction
	prefix := ""
	if near.errors > 1 {
		prefix = word[:1]
	}

	err = t.x.eachWithPrefix(automaton, ofWord, prefix, func(term []byte, value uint64) error {
		docs, err := t.x.posting(value)
		if err != nil {
			return err
		}

		found = append(found, correction{string(term[1:]), docs})
		return nil
	})
	if err != nil {
		return nil, err
	}

	t.near[near] = found
	return found, nil
}

func isForgivable(word string, errors uint8) bool {
	least := leastForOne
	if errors > 1 {
		least = leastForTwo
	}
	return len(word) >= least && len(word) <= mostLetters && !strings.ContainsAny(word, "0123456789")
}
