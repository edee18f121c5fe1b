package words

import (
	"slices"
	"strings"
)

// lexicon knows in which entries each of its terms occurs.
type lexicon struct {
	terms   []string  // sorted
	entries [][]int32 // of each term, ascending
	// backwards are the terms read from their ends, sorted, each with its
	// place in terms; only for a lexicon in which typing errors are looked for.
	backwards []backward
}

type backward struct {
	term  string
	place int32
}

func newLexicon(postings map[string][]int32) lexicon {
	l := lexicon{terms: make([]string, 0, len(postings)), entries: make([][]int32, 0, len(postings))}
	for term := range postings {
		l.terms = append(l.terms, term)
	}

	slices.Sort(l.terms)
	for _, term := range l.terms {
		l.entries = append(l.entries, slices.Clip(postings[term]))
	}
	return l
}

func (l *lexicon) readBackwards() {
	l.backwards = make([]backward, len(l.terms))
	for i, term := range l.terms {
		l.backwards[i] = backward{reversed(term), int32(i)}
	}
	slices.SortFunc(l.backwards, func(a, b backward) int { return strings.Compare(a.term, b.term) })
}

// word adds the entries in which a word occurs.
func (l *lexicon) word(word string, to Set) {
	if i, ok := slices.BinarySearch(l.terms, word); ok {
		to.addAll(l.entries[i])
	}
}

// prefix adds the entries in which a word with a prefix occurs.
func (l *lexicon) prefix(prefix string, to Set) {
	first, end := l.span(prefix)
	for _, entries := range l.entries[first:end] {
		to.addAll(entries)
	}
}

func (l *lexicon) span(prefix string) (first, end int) {
	first, _ = slices.BinarySearch(l.terms, prefix)
	end = first
	for end < len(l.terms) && strings.HasPrefix(l.terms[end], prefix) {
		end++
	}
	return first, end
}

// near calls found for every term that is one typing error away from a word.
// Such a term begins with the word's first half or ends with its second half,
// so that only few have to be compared.
func (l *lexicon) near(word string, found func(term string, entries []int32)) {
	half := len(word) / 2
	first, end := l.span(word[:half])
	for i := first; i < end; i++ {
		if oneErrorApart(word, l.terms[i]) {
			found(l.terms[i], l.entries[i])
		}
	}

	tail := reversed(word[half+1:])
	at, _ := slices.BinarySearchFunc(l.backwards, tail, func(b backward, tail string) int { return strings.Compare(b.term, tail) })
	for ; at < len(l.backwards) && strings.HasPrefix(l.backwards[at].term, tail); at++ {
		i := int(l.backwards[at].place)
		if (i < first || i >= end) && oneErrorApart(word, l.terms[i]) {
			found(l.terms[i], l.entries[i])
		}
	}
}

// oneErrorApart reports whether two words differ by one letter that is missing,
// too many or another, or by two neighbours that changed places.
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

func reversed(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}
