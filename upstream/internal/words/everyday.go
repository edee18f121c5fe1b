package words

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/rodata/rodata/internal/spelling"
)

// Phrase is a word or a few that people use for entries whose names lack them.
type Phrase struct {
	Text string
	// Means are the entries by their numbers, the best first.
	Means []int
}

// How much a word of a text counts for an entry, by where the entry has it. A phrase counts for each of its words, and
// less for its second entry than for its first.
const (
	inPhrase  = 3.0 // the phrase as a whole is in the text
	ofName    = 1.5
	ofPhrase  = 1.0 // the phrase as a whole is not, and may mean something else
	ofBroader = 0.6
	perRank   = 0.9

	// leastCommon is how many letters words of one family begin with in common, which are also 60 % of the longer one.
	leastCommon = 5

	// fraction is how well a match must fit, compared with the best one.
	fraction = 0.5
)

// everyday finds entries by what people call them. It is consulted beside the names, whatever they find: for a phrase
// that was typed as a whole; and when they find nothing, for the beginning of a phrase, and then for words in any of
// their forms.
type everyday struct {
	phrases map[string][]int32 // by their stems: the entries, the best first
	begun   []string           // the keys of phrases, sorted
	terms   map[string][]mention
	stems   []string // those of terms, sorted
	size    int
}

// mention says how much a stem counts for an entry.
type mention struct {
	entry  int32
	weight float64
}

func newEveryday(entries []Entry, phrases []Phrase) *everyday {
	e := &everyday{phrases: map[string][]int32{}, terms: map[string][]mention{}, size: len(entries)}
	said := make([][]string, len(entries))
	for _, p := range phrases {
		e.add(p)
		for _, i := range p.Means {
			said[i] = append(said[i], p.Text)
		}
	}
	e.begun = slices.Sorted(maps.Keys(e.phrases))

	stems := map[string][]string{} // of texts, which repeat: names of what entries belong to
	weights := map[string]float64{}
	for i := range entries {
		clear(weights)
		count := func(texts []string, weight float64) {
			for _, text := range texts {
				if stems[text] == nil {
					stems[text] = stemsOf(strings.Fields(spelling.Fold(text)))
				}
				for _, stem := range stems[text] {
					weights[stem] = max(weights[stem], weight)
				}
			}
		}
		count(entries[i].Names, ofName)
		count(entries[i].Broader, ofBroader)
		count(said[i], ofPhrase)
		for stem, weight := range weights {
			e.terms[stem] = append(e.terms[stem], mention{int32(i), weight})
		}
	}

	for _, of := range e.terms {
		rarity := math.Log(1 + float64(len(entries))/float64(len(of)))
		for i := range of {
			of[i].weight *= rarity
		}
	}
	e.stems = slices.Sorted(maps.Keys(e.terms))
	return e
}

func (e *everyday) add(p Phrase) {
	key := strings.Join(stemsOf(strings.Fields(spelling.Fold(p.Text))), " ")
	for _, i := range p.Means {
		if !slices.Contains(e.phrases[key], int32(i)) {
			e.phrases[key] = append(e.phrases[key], int32(i))
		}
	}
}

// said returns the entries that a phrase means, in tiers by how well.
func (e *everyday) said(typed []string, within Set) []Set {
	return e.tiers(e.phrases[strings.Join(stemsOf(typed), " ")], within)
}

// beginning returns the entries that a phrase means whose beginning was typed.
func (e *everyday) beginning(typed []string, within Set) []Set {
	stems := stemsOf(typed)
	last := typed[len(typed)-1]
	if len(stems) == 0 || len(last) < 3 || fillers[last] {
		return nil
	}

	stems[len(stems)-1] = last
	begin := strings.Join(stems, " ")
	var found []int32
	first, _ := slices.BinarySearch(e.begun, begin)
	for _, key := range e.begun[first:] {
		if !strings.HasPrefix(key, begin) {
			break
		}
		found = append(found, e.phrases[key]...)
	}
	if len(found) == 0 {
		return nil
	}
	return []Set{e.set(found, within)}
}

// mentioned returns the entries that have at least half of the words in any form, in their names, in phrases that mean
// them, or in the names of what they belong to; those that fit best first.
func (e *everyday) mentioned(typed []string, within Set) []Set {
	stems := stemsOf(typed)
	scores, words := map[int32]float64{}, map[int32]int{}
	for _, stem := range stems {
		seen := map[int32]bool{}
		for _, known := range e.kin(stem) {
			for _, m := range e.terms[known] {
				if scores[m.entry] += m.weight; !seen[m.entry] {
					seen[m.entry] = true
					words[m.entry]++
				}
			}
		}
	}

	for first := range stems {
		for end := first + 1; end <= len(stems); end++ {
			worth := inPhrase * float64((end-first)*(end-first))
			for _, entry := range e.phrases[strings.Join(stems[first:end], " ")] {
				scores[entry] += worth
				worth *= perRank
			}
		}
	}

	var found []mention
	for entry, score := range scores {
		if n := words[entry]; 2*n >= len(stems) && within.Test(uint(entry)) {
			found = append(found, mention{entry, score * float64(n) / float64(len(stems))})
		}
	}
	return e.best(found)
}

// kin returns a stem if it is known, and otherwise the known ones that share the longest beginning with it, if that is
// long enough for words of one family: traducător and traducere, beekeeping and beekeeper.
func (e *everyday) kin(stem string) []string {
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

// best sorts entries into tiers, the highest score first, without those that fit badly.
func (e *everyday) best(found []mention) (tiers []Set) {
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

// tiers returns a tier for each of the entries that is within the set.
func (e *everyday) tiers(entries []int32, within Set) (tiers []Set) {
	for _, entry := range entries {
		if within.Test(uint(entry)) {
			tiers = append(tiers, e.set([]int32{entry}, within))
		}
	}
	return tiers
}

func (e *everyday) set(entries []int32, within Set) Set {
	s := NewSet(e.size)
	addAll(s, entries)
	s.InPlaceIntersection(within)
	return s
}
