package words

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// Phrase is an everyday expression for entries that do not have it in their names.
type Phrase struct {
	Text string
	// Entries lists the numbers of the entries that the phrase stands for, the best first.
	Entries []int
}

// synonyms is an index: the phrases that people use for entries. Every search first looks for the typed text as a whole
// phrase. If the names have no match, it also looks for phrases that begin with the text, and then for phrases by the
// stems of the words.
type synonyms struct {
	// exact maps a phrase, without fillers, to its entries, the best first. The entries of other phrases with the same
	// stems follow, because "port" and "porți" (gates), for example, only look like forms of the same word.
	exact   map[string][]int32
	phrases map[string][]int32 // the entries of all phrases with the same stems, by stems
	begun   []string           // the keys of phrases, sorted
	terms   map[string][]mention
	stems   []string // of terms, sorted
	size    int
}

func newSynonyms(entries []Entry, phrases []Phrase) *synonyms {
	e := &synonyms{exact: map[string][]int32{}, phrases: map[string][]int32{}, terms: map[string][]mention{},
		size: len(entries)}
	phraseTexts := make([][]string, len(entries))
	for _, p := range phrases {
		phrase, stems := key(contentOf(p.Text)), StemKey(p.Text)
		for _, i := range p.Entries {
			add(e.exact, phrase, int32(i))
			add(e.phrases, stems, int32(i))
			phraseTexts[i] = append(phraseTexts[i], p.Text)
		}
	}

	for phrase := range e.exact {
		add(e.exact, phrase, e.phrases[StemKey(phrase)]...)
	}

	e.begun = slices.Sorted(maps.Keys(e.phrases))

	stems := map[string][]string{} // by text, because the names of parents repeat
	weights := map[string]float64{}
	for i := range entries {
		clear(weights)
		count := func(texts []string, weight float64) {
			for _, text := range texts {
				if stems[text] == nil {
					stems[text] = stemsOf(contentOf(text))
				}

				for _, stem := range stems[text] {
					weights[stem] = max(weights[stem], weight)
				}
			}
		}
		count(entries[i].Names, ofName)
		count(entries[i].Broader, ofBroader)
		count(phraseTexts[i], ofPhrase)
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

// add adds entries to a phrase, without duplicates.
func add(phrases map[string][]int32, phrase string, means ...int32) {
	for _, i := range means {
		if !slices.Contains(phrases[phrase], i) {
			phrases[phrase] = append(phrases[phrase], i)
		}
	}
}

// entriesFor returns the entries for a phrase, the best first.
func (e *synonyms) entriesFor(content, stems []string) []int32 {
	if exact := e.exact[key(content)]; exact != nil {
		return exact
	}
	return e.phrases[key(stems)]
}

// forWholePhrase returns the entries for a phrase that was typed as a whole, in tiers by quality of the match.
func (e *synonyms) forWholePhrase(typed []string, within Set) (tiers []Set) {
	content := withoutFillers(typed)
	for _, entry := range e.entriesFor(content, stemsOf(content)) {
		if within.Test(uint(entry)) {
			tiers = append(tiers, e.set([]int32{entry}, within))
		}
	}

	return tiers
}

// forPhrasePrefix returns the entries for a phrase whose start was typed.
func (e *synonyms) forPhrasePrefix(typed []string, within Set) []Set {
	stems := stemsOf(withoutFillers(typed))
	last := typed[len(typed)-1]
	if len(stems) == 0 || len(last) < 3 || fillers[last] {
		return nil
	}

	stems[len(stems)-1] = last
	begin := key(stems)
	var found []int32
	first, _ := slices.BinarySearch(e.begun, begin)
	for _, phrase := range e.begun[first:] {
		if !strings.HasPrefix(phrase, begin) {
			break
		}
		found = append(found, e.phrases[phrase]...)
	}

	if len(found) == 0 {
		return nil
	}

	return []Set{e.set(found, within)}
}

func (e *synonyms) set(entries []int32, within Set) Set {
	s := NewSet(e.size)
	addAll(s, entries)
	s.InPlaceIntersection(within)
	return s
}
