package words

import (
	"slices"
	"strings"

	"github.com/rodata/rodata/internal/spelling"
)

// Ranking is the result of a search, with the best matches first.
type Ranking struct {
	tiers []Set // disjoint
}

// Len returns the number of entries found.
func (r Ranking) Len() int {
	n := 0
	for _, t := range r.tiers {
		n += int(t.Count())
	}
	return n
}

// Page returns at most limit entries, starting at an offset. The pages of a search neither overlap nor have gaps.
func (r Ranking) Page(limit, offset int) []int {
	page := make([]int, 0, min(limit, max(0, r.Len()-offset)))
	for _, t := range r.tiers {
		for i, ok := t.NextSet(0); ok && len(page) < limit; i, ok = t.NextSet(i + 1) {
			if offset > 0 {
				offset--
				continue
			}

			page = append(page, int(i))
		}
	}

	return page
}

// maxLoose is the maximum number of words in a loose search, because the cost of such a search grows with their number.
// Names that people know by heart are not longer.
const maxLoose = 8

// Find searches the entries of a set for a text. It tries these interpretations in turn until one has a match:
//
//   - every word is in a name, the last one possibly incomplete;
//   - every word is in a name or its context, and at least one in the name;
//   - the text without its spaces begins a name without its spaces;
//   - like the second, but every word is possibly incomplete;
//   - if forgive is set, like the second, but one word has one typing error.
//
// Entries whose whole name was typed come first, then those whose name begins with the text, then the others. Entries
// of the same rank stay in the order of the index. The empty text matches all entries of the set.
//
// An index with phrases finds more:
//
//   - entries for a phrase that was typed as a whole, right after the whole names;
//   - entries with all words in other forms, after a match in which every word is possibly incomplete;
//   - if there is no match, entries for phrases that begin with the text;
//   - if there are none of these either, entries with at least half of the words, in any form.
func (x *Index) Find(text string, within Set, forgive bool) Ranking {
	if text == "" {
		return Ranking{[]Set{within}}
	}

	typed := strings.Fields(spelling.Fold(text))
	if len(typed) == 0 {
		return Ranking{}
	}

	found, loosely := x.searchNames(typed, within, forgive)
	if x.everyday == nil || len(typed) > maxLoose {
		return found
	}
	if phrases := x.everyday.forWholePhrase(typed, within); len(phrases) > 0 {
		return found.withTiers(phrases)
	}
	if loosely && found.Len() > 0 {
		return Ranking{disjoint(found.tiers, x.everyday.withWords(typed, within, true))}
	}
	if found.Len() > 0 {
		return found
	}
	if begun := x.everyday.forPhrasePrefix(typed, within); len(begun) > 0 {
		return Ranking{begun}
	}

	return Ranking{x.everyday.withWords(typed, within, false)}
}

// withTiers returns the ranking with other tiers inserted after its first. If the ranking is empty, the result has only
// the other tiers.
func (r Ranking) withTiers(others []Set) Ranking {
	if len(r.tiers) == 0 {
		return Ranking{others}
	}

	return Ranking{disjoint(r.tiers[:1], others, r.tiers[1:])}
}

// disjoint joins lists of tiers. It keeps each entry only in its first tier.
func disjoint(lists ...[]Set) (tiers []Set) {
	for _, tier := range slices.Concat(lists...) {
		rest := tier.Clone()
		for _, before := range tiers {
			rest.InPlaceDifference(before)
		}

		tiers = append(tiers, rest)
	}

	return tiers
}

// searchNames searches the names and contexts. It reports whether it had to treat every word as possibly incomplete or
// misspelt.
func (x *Index) searchNames(typed []string, within Set, forgive bool) (found Ranking, loosely bool) {
	for _, find := range []func() Set{
		func() Set { return x.matchNames(typed, within) },
		func() Set { return x.matchContext(typed, within, false) },
		func() Set { return x.searchUnspaced(typed, within) },
	} {
		if found := find(); found.Any() {
			return x.rank(found, typed), false
		}
	}

	if len(typed) > maxLoose {
		return Ranking{}, true
	}

	if found := x.matchContext(typed, within, true); found.Any() || !forgive {
		return x.rank(found, typed), true
	}

	corrected, texts := x.withTypo(typed, within)
	return x.rank(corrected, texts...), true
}

func (x *Index) matchNames(typed []string, within Set) Set {
	found := within.Clone()
	for i, word := range typed {
		matches := NewSet(x.size)
		x.names.add(word, i == len(typed)-1, matches)
		if found.InPlaceIntersection(matches); found.None() {
			break
		}
	}

	return found
}

func (x *Index) matchContext(typed []string, within Set, allIncomplete bool) Set {
	found, inName := within.Clone(), NewSet(x.size)
	for i, word := range typed {
		found.InPlaceIntersection(x.matchWord(word, allIncomplete || i == len(typed)-1, inName))
		if found.None() {
			return found
		}
	}

	found.InPlaceIntersection(inName)
	return found
}

// matchWord returns the entries with a word in a name or in the context. It adds those with the word in a name to
// inName.
func (x *Index) matchWord(word string, incomplete bool, inName Set) Set {
	matches := NewSet(x.size)
	x.names.add(word, incomplete, matches)
	inName.InPlaceUnion(matches)
	x.context.add(word, incomplete, matches)
	return matches
}

func (x *Index) searchUnspaced(typed []string, within Set) Set {
	found := NewSet(x.size)
	x.joined.add(join(typed), true, found)
	found.InPlaceIntersection(within)
	return found
}

// withTypo returns the entries that match if one typing error in one word is corrected, and the corrected texts.
func (x *Index) withTypo(typed []string, within Set) (found Set, corrected [][]string) {
	found = NewSet(x.size)
	matches := make([]Set, len(typed))
	for i, word := range typed {
		matches[i] = x.matchWord(word, i == len(typed)-1, NewSet(x.size))
	}

	for i, word := range typed {
		if len(word) < 3 || word[0] <= '9' {
			continue
		}

		others := within.Clone()
		for j := range typed {
			if j != i {
				others.InPlaceIntersection(matches[j])
			}
		}

		if others.None() {
			continue
		}

		x.names.near(word, func(term string, entries []int32) {
			hit := NewSet(x.size)
			addAll(hit, entries)
			if hit.InPlaceIntersection(others); hit.None() {
				return
			}

			found.InPlaceUnion(hit)
			text := slices.Clone(typed)
			text[i] = term
			corrected = append(corrected, text)
		})
	}

	return found, corrected
}

// rank divides the matches into tiers, by how well they match the best of the texts.
func (x *Index) rank(found Set, texts ...[]string) Ranking {
	exact, begins := NewSet(x.size), NewSet(x.size)
	for _, text := range texts {
		x.joined.add(join(text), false, exact)
		x.joined.add(join(text), true, begins)
		if len(text) <= maxLoose { // the name may be a part: "cluj napoca, jud cluj"
			for first := range text {
				for end := first + 1; end <= len(text); end++ {
					x.joined.add(join(text[first:end]), false, exact)
				}
			}
		}
	}

	exact.InPlaceIntersection(found)
	begins.InPlaceIntersection(found)
	begins.InPlaceDifference(exact)
	rest := found.Difference(exact)
	rest.InPlaceDifference(begins)
	return Ranking{[]Set{exact, begins, rest}}
}
