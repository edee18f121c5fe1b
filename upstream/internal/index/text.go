package index

import (
	"slices"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/upstream/internal/tradenumber"
)

// maxLoose bounds the number of words for which joined, split and corrected forms are searched, because the work grows
// with it. Names that people know by heart are not longer.
const maxLoose = 8

// match returns the docs within some sets that match a text. A tax id or register number matches its companies. Names
// match if they have all words, the last one possibly incomplete; two words may be written as one and one as two. If
// nothing matches, these are tried in turn: the text without an incomplete legal form, the text in the other spelling
// of â and î, one typing error, two.
func (x *Index) match(text string, within []*roaring.Bitmap) (matches, error) {
	named := x.common(append(slices.Clip(within), x.named(text))...)
	texts := []string{nameKey(text)}
	texts = append(texts, withoutBegunForm(texts[0]))
	if other, ok := respelled(text); ok {
		texts = append(texts, nameKey(other))
	}

	for i, key := range texts {
		if i > 0 && key == texts[0] {
			continue
		}
		found, err := x.matchKey(key, within)
		if err != nil {
			return matches{}, err
		}

		found.all = union(found.all, named)
		found.tiers = append([]*roaring.Bitmap{named}, found.tiers...)
		if !found.all.IsEmpty() {
			return found, nil
		}
	}

	return x.forgive(texts[0], within)
}

// named returns the docs with the tax id or register number in a text.
func (x *Index) named(text string) *roaring.Bitmap {
	found := roaring.New()
	if number, ok := tradenumber.Parse(text); ok {
		for doc := range x.numbers.docs(number.Key()) {
			found.Add(doc)
		}
	}

	digits := strings.TrimPrefix(strings.ReplaceAll(spelling.Fold(text), " ", ""), "ro")
	if id, err := strconv.ParseUint(digits, 10, 64); err == nil && id > 0 {
		for doc := range x.taxIDs.docs(id) {
			found.Add(doc)
		}
	}

	return found
}

// phrase is the words of a text with their docs.
type phrase struct {
	x      *Index
	within []*roaring.Bitmap
	words  []string
	whole  []*roaring.Bitmap // the docs of each word
	begun  *roaring.Bitmap   // docs with a word that begins with the last
}

func (x *Index) newPhrase(key string, within []*roaring.Bitmap) (p phrase, err error) {
	p = phrase{x: x, within: within, words: strings.Fields(key)}
	p.whole = make([]*roaring.Bitmap, len(p.words))
	for i, word := range p.words {
		if p.whole[i], err = x.docs(string(ofWord) + word); err != nil {
			return p, err
		}
	}

	p.begun, err = x.begun(p.words[len(p.words)-1])
	return p, err
}

// others returns the docs that have all words but those in [from, before).
func (p *phrase) others(from, before int) *roaring.Bitmap {
	sets := slices.Clip(p.within)
	for i, set := range p.whole {
		switch {
		case i >= from && i < before:
		case i == len(p.whole)-1:
			sets = append(sets, p.begun)
		default:
			sets = append(sets, set)
		}
	}

	return p.x.common(sets...)
}

// matchKey returns the matches without typing errors.
func (x *Index) matchKey(key string, within []*roaring.Bitmap) (matches, error) {
	if key == "" {
		return matches{all: roaring.New()}, nil
	}
	p, err := x.newPhrase(key, within)
	if err != nil {
		return matches{}, err
	}

	begun := p.others(0, 0)
	whole := x.common(begun, p.whole[len(p.whole)-1])
	complete, err := x.complete(whole, p.words)
	if err != nil {
		return matches{}, err
	}

	asOne := x.asOne(append([]string{wholeName}, p.words...)...)
	found := matches{all: begun, tiers: []*roaring.Bitmap{
		x.keySpan(key, ""),        // the name itself
		asOne,                     // except for spaces
		complete,                  // in another order
		x.keySpan(key, anyLetter), // the beginning of the name
		whole, begun,
	}}

	further, err := p.joinedAndSplit()
	found.all = union(append(further, begun, x.common(append(slices.Clip(within), asOne)...))...)
	return found, err
}

// complete returns the docs whose names have no more words than were typed.
func (x *Index) complete(docs *roaring.Bitmap, typed []string) (*roaring.Bitmap, error) {
	different := len(appendNew(nil, strings.Join(typed, " ")))
	ofLength, err := x.docs(string(ofLength) + strconv.Itoa(different))
	if err != nil {
		return nil, err
	}
	return x.common(docs, ofLength), nil
}

// joinedAndSplit returns sets of docs with one word as two, or two neighbouring words as one, and all the others.
func (p *phrase) joinedAndSplit() (sets []*roaring.Bitmap, err error) {
	if len(p.words) > maxLoose {
		return nil, nil
	}
	for i, word := range p.words {
		if split := p.x.asOne(word); !split.IsEmpty() {
			sets = append(sets, p.x.common(split, p.others(i, i+1)))
		}
		if i == 0 {
			continue
		}

		var joined *roaring.Bitmap
		if both := p.words[i-1] + word; i == len(p.words)-1 {
			joined, err = p.x.begun(both)
		} else {
			joined, err = p.x.docs(string(ofWord) + both)
		}

		if err != nil {
			return nil, err
		}
		if !joined.IsEmpty() {
			sets = append(sets, p.x.common(joined, p.others(i-1, i+1)))
		}
	}

	return sets, nil
}

// asOne returns the docs indexed under words written as one.
func (x *Index) asOne(parts ...string) *roaring.Bitmap {
	found := roaring.New()
	for doc := range x.joined.docs(joinedKey(parts...)) {
		found.Add(doc)
	}
	return found
}
