package words

import (
	"slices"
	"strings"
)

// Entry is something to be found.
type Entry struct {
	// Names are what it is called; any of them finds it.
	Names []string
	// Context is what people type beside a name: the kind of place, its county.
	// It finds nothing alone.
	Context []string
}

// Index finds entries by words. The number of an entry is its place in the
// order in which they were given, which is also their order among equals. An
// Index does not change, and any number of goroutines may use it.
type Index struct {
	size           int
	names, context lexicon
	keys           []key
}

// key is a name without its spaces.
type key struct {
	name  string
	entry int32
}

// NewIndex makes an index of entries.
func NewIndex(entries []Entry) *Index {
	x := &Index{size: len(entries)}
	names, context := map[string][]int32{}, map[string][]int32{}
	folded := map[string][]string{} // contexts repeat
	for i, e := range entries {
		for _, name := range e.Names {
			for _, spelling := range spellings(name) {
				x.keys = append(x.keys, key{joined(strings.Fields(spelling)), int32(i)})
				post(names, spelling, int32(i))
			}
		}
		for _, text := range e.Context {
			if folded[text] == nil {
				folded[text] = spellings(text)
			}
			for _, spelling := range folded[text] {
				post(context, spelling, int32(i))
			}
		}
	}

	slices.SortStableFunc(x.keys, func(a, b key) int { return strings.Compare(a.name, b.name) })
	x.names, x.context = newLexicon(names), newLexicon(context)
	x.names.readBackwards()
	return x
}

func post(postings map[string][]int32, text string, entry int32) {
	for word := range strings.FieldsSeq(text) {
		if p := postings[word]; len(p) == 0 || p[len(p)-1] != entry {
			postings[word] = append(p, entry)
		}
	}
}

func joined(words []string) string { return strings.Join(words, "") }

// Len is how many entries there are.
func (x *Index) Len() int { return x.size }

// All is the set of all entries.
func (x *Index) All() Set {
	s := NewSet(x.size)
	for i := range s {
		s[i] = ^uint64(0)
	}

	if rest := x.size % 64; rest > 0 {
		s[len(s)-1] = 1<<rest - 1
	}
	return s
}

// Named is the set of the entries with a name that is the text, spaces, hyphens,
// case and diacritics apart.
func (x *Index) Named(text string) Set {
	s := NewSet(x.size)
	x.named(joined(strings.Fields(Fold(text))), s)
	return s
}

func (x *Index) named(name string, to Set) {
	for i := x.firstKey(name); i < len(x.keys) && x.keys[i].name == name; i++ {
		to.Add(int(x.keys[i].entry))
	}
}

func (x *Index) startingWith(prefix string, to Set) {
	for i := x.firstKey(prefix); i < len(x.keys) && strings.HasPrefix(x.keys[i].name, prefix); i++ {
		to.Add(int(x.keys[i].entry))
	}
}

func (x *Index) firstKey(name string) int {
	i, _ := slices.BinarySearchFunc(x.keys, name, func(k key, name string) int { return strings.Compare(k.name, name) })
	return i
}
