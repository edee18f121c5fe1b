package words

import (
	"maps"
	"slices"
	"strings"
)

// lexicon maps terms to the entries in which they occur.
type lexicon struct {
	terms   []string  // sorted
	entries [][]int32 // of each term, ascending
}

func newLexicon(postings map[string][]int32) lexicon {
	l := lexicon{terms: slices.Sorted(maps.Keys(postings))}
	for _, term := range l.terms {
		l.entries = append(l.entries, slices.Clip(postings[term]))
	}
	return l
}

// add adds to a set the entries that contain a word. If the word is incomplete, it adds the entries with any term that
// begins with the word.
func (l *lexicon) add(word string, incomplete bool, to Set) {
	first, exact := slices.BinarySearch(l.terms, word)
	if !incomplete && exact {
		addAll(to, l.entries[first])
	}

	for i := first; incomplete && i < len(l.terms) && strings.HasPrefix(l.terms[i], word); i++ {
		addAll(to, l.entries[i])
	}
}

// near calls found for every term that differs from a word by one typing error. It compares the word with all of the
// roughly ten thousand terms, so it is called only for texts without another match.
func (l *lexicon) near(word string, found func(term string, entries []int32)) {
	for i, term := range l.terms {
		if oneErrorApart(word, term) {
			found(term, l.entries[i])
		}
	}
}

// oneErrorApart reports whether two words differ by one inserted, deleted or substituted letter, or by two adjacent
// letters that are transposed.
func oneErrorApart(a, b string) bool {
	if d := len(a) - len(b); d < -1 || d > 1 {
		return false
	}

	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}

	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}

	switch {
	case len(a)+len(b) == 1, len(a) == 1 && len(b) == 1:
		return true
	case len(a) == 2 && len(b) == 2:
		return a[0] == b[1] && a[1] == b[0]
	}

	return false
}
