package words

import (
	"cmp"
	"slices"
	"strings"
)

// mention is the weight of a stem for an entry.
type mention struct {
	entry  int32
	weight float64
}

// The weight of a word for an entry depends on where the entry has the word. A phrase counts for each of its words. It
// counts more for its first entry than for its second.
const (
	inPhrase  = 3.0 // the whole phrase is in the text
	ofName    = 1.5
	ofPhrase  = 1.0 // only part of the phrase is in the text, so the word may mean something else
	ofBroader = 0.6
	perRank   = 0.9

	// leastCommon is the minimum length of the common prefix of related words. The prefix must also be 60 % of the
	// longer word.
	leastCommon = 5

	// fraction is the minimum score of a match, relative to the best one.
	fraction = 0.5
)

// withWords returns the entries that have at least half of the words, in any form, in their names, in phrases for them,
// or in the names of their parents. The best matches come first. If strictly is set, every word must match, and related
// words do not count.
func (e *synonyms) withWords(typed []string, within Set, strictly bool) []Set {
	content := withoutFillers(typed)
	stems := stemsOf(content)
	tallies := make([]tally, e.size)
	for i, stem := range stems {
		family := []string{stem}
		if !strictly {
			family = e.kin(stem)
		}

		for _, known := range family {
			for _, m := range e.terms[known] {
				tallies[m.entry].count(i, m.weight)
			}
		}
	}

	for first := range stems {
		for end := first + 1; end <= len(stems); end++ {
			worth := inPhrase * float64((end-first)*(end-first))
			for _, entry := range e.entriesFor(content[first:end], stems[first:end]) {
				tallies[entry].score += worth
				worth *= perRank
			}
		}
	}

	var found []mention
	for entry, t := range tallies {
		if t.words == 0 || 2*t.words < len(stems) || strictly && t.words < len(stems) || !within.Test(uint(entry)) {
			continue
		}
		found = append(found, mention{int32(entry), t.score * float64(t.words) / float64(len(stems))})
	}

	return e.best(found)
}

// tally is the score of an entry.
type tally struct {
	score float64
	words int // number of the text's words that the entry has
	last  int // the last of them, counted from 1
}

// count counts a word of the text, given its position in the text.
func (t *tally) count(position int, weight float64) {
	t.score += weight
	if t.last != position+1 {
		t.last = position + 1
		t.words++
	}
}

// kin returns the stem if it is known. Otherwise it returns the known stems with the longest common prefix, if that is
// long enough for related words, such as traducător and traducere, or beekeeping and beekeeper.
func (e *synonyms) kin(stem string) []string {
	if len(e.terms[stem]) > 0 {
		return []string{stem}
	}

	for common := len(stem); common >= leastCommon; common-- {
		var family []string
		first, _ := slices.BinarySearch(e.stems, stem[:common])
		for _, known := range e.stems[first:] {
			if !strings.HasPrefix(known, stem[:common]) {
				break
			}
			if longer := max(len(stem), len(known)); 10*common >= 6*longer {
				family = append(family, known)
			}
		}

		if len(family) > 0 {
			return family
		}
	}

	return nil
}

// best sorts entries into tiers, the highest score first, and drops poor matches.
func (e *synonyms) best(found []mention) (tiers []Set) {
	slices.SortFunc(found, func(a, b mention) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.entry, b.entry))
	})
	for i, m := range found {
		if m.weight < fraction*found[0].weight {
			break
		}
		if i == 0 || m.weight < found[i-1].weight {
			tiers = append(tiers, NewSet(e.size))
		}

		tiers[len(tiers)-1].Set(uint(m.entry))
	}

	return tiers
}
