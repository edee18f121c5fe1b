package search

import (
	"slices"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/internal/tradenumber"
	"github.com/rodata/rodata/ro"
)

// maxFuzzyWords is the largest number of words in a text for which joined, split and misspelled words are searched. The
// work grows with the number of words, and the names that people type from memory are shorter.
const maxFuzzyWords = 8

// match returns the docs in the intersection of within that match a text. A text that is a tax id or register number
// matches the companies with that number. Otherwise a company matches if its name contains all words of the text. The
// last word may be incomplete, two words may be joined into one, and one word may be split in two. Single letters in a
// row are also one word, an abbreviation. If nothing matches, match tries these in turn: the text without an incomplete
// legal form, the text in the other spelling of â and î, the text as a name and a place, one typing error, two typing
// errors, and these in a name before a place.
func (x *Index) match(q *Query, within []*roaring.Bitmap) matches {
	text := q.Text
	numbered := x.common(append(slices.Clip(within), x.withNumberIn(text))...)
	texts := []string{spelling.CompanyKey(text)}
	texts = append(texts, spelling.WithoutPartialForm(texts[0]))
	if other, ok := vowelVariant(text); ok {
		texts = append(texts, spelling.CompanyKey(other))
	}

	for i, key := range texts {
		if i > 0 && key == texts[0] {
			continue
		}

		found := x.matchKey(key, within)
		found.all = union(found.all, numbered)
		found.tiers = append([]*roaring.Bitmap{numbered}, found.tiers...)
		if !found.all.IsEmpty() {
			return found
		}
	}

	places := x.splitPlace(q, within)
	for _, l := range places {
		if found := x.matchKey(l.key, l.within); !found.all.IsEmpty() {
			return found
		}
	}

	for _, l := range append([]nameInPlace{{texts[0], within}}, places...) {
		if found := x.matchWithTypos(spelling.JoinInitials(l.key), l.within); !found.all.IsEmpty() {
			return found
		}
	}

	return matches{all: roaring.New()}
}

// withNumberIn returns the docs with the tax id or register number in a text.
func (x *Index) withNumberIn(text string) *roaring.Bitmap {
	found := roaring.New()
	if number, ok := tradenumber.Parse(text); ok {
		found = x.numbers.set(number.Key())
	}

	digits, _ := ro.CUIDigits(text)
	if id, err := strconv.ParseUint(digits, 10, 64); err == nil && id > 0 {
		found.Or(x.taxIDs.set(id))
	}

	return found
}

// phrase holds the words of a text and the docs that contain each of them.
type phrase struct {
	x          *Index
	within     []*roaring.Bitmap
	words      []string
	whole      []*roaring.Bitmap // the docs of each word
	withPrefix *roaring.Bitmap   // docs with a word that begins with the last word
}

func (x *Index) newPhrase(key string, within []*roaring.Bitmap) phrase {
	p := phrase{x: x, within: within, words: strings.Fields(key)}
	for _, word := range p.words {
		p.whole = append(p.whole, x.docs(string(ofWord)+word))
	}

	p.withPrefix = x.withPrefix(p.words[len(p.words)-1])
	return p
}

// docsWithout returns the docs that contain all words of the phrase, ignoring the words at positions [from, before).
// The last word may be incomplete.
func (p *phrase) docsWithout(from, before int) *roaring.Bitmap {
	sets := slices.Clip(p.within)
	for i, set := range p.whole {
		switch {
		case i >= from && i < before:
		case i == len(p.whole)-1:
			sets = append(sets, p.withPrefix)
		default:
			sets = append(sets, set)
		}
	}

	return p.x.common(sets...)
}

// matchKey returns the docs that match a name key without typing errors, with its abbreviations as one word or as
// letters.
func (x *Index) matchKey(key string, within []*roaring.Bitmap) matches {
	found := x.matchWords(key, within)
	abbreviated := spelling.JoinInitials(key)
	if abbreviated == key {
		return found
	}

	better := x.matchWords(abbreviated, within)
	return matches{all: union(better.all, found.all), tiers: append(better.tiers, found.tiers...)}
}

// matchWords returns the docs that have the words of a name key.
func (x *Index) matchWords(key string, within []*roaring.Bitmap) matches {
	if key == "" {
		return matches{all: roaring.New()}
	}

	p := x.newPhrase(key, within)
	prefixed := p.docsWithout(0, 0)
	whole := x.common(prefixed, p.whole[len(p.whole)-1])
	asOne := x.asOne(append([]string{wholeName}, p.words...)...)
	found := matches{all: prefixed, tiers: []*roaring.Bitmap{
		x.withKey(key),             // the exact name
		asOne,                      // the exact name except for spaces
		x.complete(whole, p.words), // exactly these words in any order
		x.withKeyPrefix(key),       // a name that begins with the text
		whole, prefixed,
	}}

	found.all = union(append(p.joinedAndSplit(), prefixed, x.common(append(slices.Clip(within), asOne)...))...)
	return found
}

// complete returns the given docs that have as many distinct words in their name as the typed text has.
func (x *Index) complete(docs *roaring.Bitmap, typed []string) *roaring.Bitmap {
	distinct := len(appendNew(nil, strings.Join(typed, " ")))
	return x.common(docs, x.docs(string(ofLength)+strconv.Itoa(distinct)))
}

// joinedAndSplit returns the docs that match if one word of the phrase is split in two, or if two neighbouring words
// are joined. Each set belongs to one such change; all other words must match.
func (p *phrase) joinedAndSplit() (sets []*roaring.Bitmap) {
	if len(p.words) > maxFuzzyWords {
		return nil
	}

	for i, word := range p.words {
		if split := p.x.asOne(word); !split.IsEmpty() {
			sets = append(sets, p.x.common(split, p.docsWithout(i, i+1)))
		}
		if i == 0 {
			continue
		}

		var joined *roaring.Bitmap
		if both := p.words[i-1] + word; i == len(p.words)-1 {
			joined = p.x.withPrefix(both)
		} else {
			joined = p.x.docs(string(ofWord) + both)
		}

		if !joined.IsEmpty() {
			sets = append(sets, p.x.common(joined, p.docsWithout(i-1, i+1)))
		}
	}

	return sets
}

// asOne returns the docs that are indexed under the given words, joined without spaces.
func (x *Index) asOne(parts ...string) *roaring.Bitmap {
	return x.joined.set(joinedKey(parts...))
}
