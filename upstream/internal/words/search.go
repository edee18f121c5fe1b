package words

import "strings"

// Ranking is what a search found, best first.
type Ranking struct {
	tiers []Set // disjoint
}

// Ranked is a set as a ranking in which all are equal.
func Ranked(s Set) Ranking { return Ranking{[]Set{s}} }

// Len is how many entries were found.
func (r Ranking) Len() int {
	n := 0
	for _, t := range r.tiers {
		n += t.Len()
	}
	return n
}

// Page are the entries from the offset-th on, at most limit of them. Pages of
// one search neither overlap nor leave anything out.
func (r Ranking) Page(limit, offset int) []int {
	page := make([]int, 0, min(limit, max(0, r.Len()-offset)))
	for _, t := range r.tiers {
		n := t.Len()
		if offset < n && len(page) < limit {
			page = t.appendRange(page, offset, limit-len(page))
		}
		offset = max(0, offset-n)
	}

	return page
}

// maxLoose bounds the words of a text that is searched for loosely: no name
// that people know by heart is longer, and the work grows with their number.
const maxLoose = 8

// Find searches the entries of a set for a text. The first of these ways that
// finds something decides:
//
//   - every word is in a name, the last perhaps only begun;
//   - every word is in a name or its context, and at least one in the name;
//   - the text without its spaces begins a name without its spaces;
//   - the same as the second, every word perhaps only begun;
//   - if forgive, one word holds one typing error.
//
// Entries whose whole name was typed come first, then those whose name begins
// with the text, then the others; among equals, in the order of the entries.
func (x *Index) Find(text string, within Set, forgive bool) Ranking {
	typed := strings.Fields(Fold(text))
	if len(typed) == 0 {
		return Ranking{}
	}
	if found := x.inNames(typed, within); !found.empty() {
		return x.rank(found, typed)
	}
	if found := x.inContext(typed, within, false); !found.empty() {
		return x.rank(found, typed)
	}
	if found := x.unspaced(typed, within); !found.empty() {
		return x.rank(found, typed)
	}
	if len(typed) > maxLoose {
		return Ranking{}
	}
	if found := x.inContext(typed, within, true); !found.empty() || !forgive {
		return x.rank(found, typed)
	}

	found, corrected := x.forgiving(typed, within)
	return x.rank(found, corrected...)
}

func (x *Index) inNames(typed []string, within Set) Set {
	found := clone(within)
	for i, word := range typed {
		holding := NewSet(x.size)
		if i == len(typed)-1 {
			x.names.prefix(word, holding)
		} else {
			x.names.word(word, holding)
		}

		if found.And(holding); found.empty() {
			break
		}
	}

	return found
}

func (x *Index) inContext(typed []string, within Set, allBegun bool) Set {
	found, inName := clone(within), NewSet(x.size)
	for i, word := range typed {
		holding := x.holding(word, allBegun || i == len(typed)-1, inName)
		if found.And(holding); found.empty() {
			return found
		}
	}

	found.And(inName)
	return found
}

// holding are the entries with a word in a name or the context; those that have
// it in a name are also added to inName.
func (x *Index) holding(word string, begun bool, inName Set) Set {
	holding := NewSet(x.size)
	if begun {
		x.names.prefix(word, holding)
	} else {
		x.names.word(word, holding)
	}

	inName.Or(holding)
	if begun {
		x.context.prefix(word, holding)
	} else {
		x.context.word(word, holding)
	}

	return holding
}

func (x *Index) unspaced(typed []string, within Set) Set {
	found := NewSet(x.size)
	x.startingWith(joined(typed), found)
	found.And(within)
	return found
}

// forgiving also gives the texts as they should have been typed.
func (x *Index) forgiving(typed []string, within Set) (found Set, corrected [][]string) {
	found = NewSet(x.size)
	holding := make([]Set, len(typed))
	for i, word := range typed {
		holding[i] = x.holding(word, i == len(typed)-1, NewSet(x.size))
	}

	for i, word := range typed {
		if len(word) < 3 || word[0] <= '9' {
			continue
		}
		others := clone(within)
		for j := range typed {
			if j != i {
				others.And(holding[j])
			}
		}

		if others.empty() {
			continue
		}
		x.names.near(word, func(term string, entries []int32) {
			hit := NewSet(x.size)
			hit.addAll(entries)
			if hit.And(others); hit.empty() {
				return
			}

			found.Or(hit)
			text := append([]string(nil), typed...)
			text[i] = term
			corrected = append(corrected, text)
		})
	}

	return found, corrected
}

// rank parts what was found into tiers by how well it fits any of the texts.
func (x *Index) rank(found Set, texts ...[]string) Ranking {
	exact, begins := NewSet(x.size), NewSet(x.size)
	for _, text := range texts {
		x.named(joined(text), exact)
		x.startingWith(joined(text), begins)
		if len(text) <= maxLoose { // the name may be a part: "cluj napoca, jud cluj"
			for first := range text {
				for end := first + 1; end <= len(text); end++ {
					x.named(joined(text[first:end]), exact)
				}
			}
		}
	}

	exact.And(found)
	begins.And(found)
	begins.without(exact)
	rest := clone(found)
	rest.without(exact)
	rest.without(begins)
	return Ranking{[]Set{exact, begins, rest}}
}

func clone(s Set) Set { return append(Set(nil), s...) }
