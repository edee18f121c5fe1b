package words

import (
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
