package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rodata/rodata/internal/spelling"
)

// The legal forms in folded names, where dots have become spaces. They are noise, because people do not search for
// them and often omit them.
var (
	formSuffixes = spellings(" ", "",
		"srl", "srl d", "sa", "snc", "scs", "sca", "ra", "pfa", "pf", "ii", "if", "af",
		"societate cu raspundere limitata", "societate pe actiuni", "societate in nume colectiv", "regie autonoma",
		"persoana fizica autorizata", "persoana fizica", "intreprindere individuala", "intreprindere familiala",
		"asociatie familiala")
	formPrefixes = spellings("", " ",
		"sc", "pfa", "pf", "ii", "if", "af", "societatea comerciala", "regia autonoma",
		"persoana fizica autorizata", "persoana fizica", "intreprindere individuala", "intreprindere familiala",
		"asociatia familiala")
)

// spellings returns legal forms with a prefix and a suffix. It also returns short forms letter by letter: "srl" and "s
// r l".
func spellings(prefix, suffix string, forms ...string) (all []string) {
	for _, form := range forms {
		all = append(all, prefix+form+suffix)
		if first, rest, _ := strings.Cut(form, " "); len(first) <= 3 {
			dotted := strings.TrimSpace(strings.Join(strings.Split(first, ""), " ") + " " + rest)
			all = append(all, prefix+dotted+suffix)
		}
	}

	return all
}

// nameKey normalises a name: it folds the name and removes legal forms from both ends. A name that consists only of
// legal forms keeps the first one.
func nameKey(name string) string {
	key := spelling.Fold(name)
	for {
		short := key
		for _, form := range formSuffixes {
			short = strings.TrimSuffix(short, form)
		}

		for _, form := range formPrefixes {
			short = strings.TrimPrefix(short, form)
		}
		if short == key {
			return key
		}

		key = short
	}
}

// withoutPartialForm strips an incomplete legal form from the end of a key that is still being typed: "fitlab s r".
func withoutPartialForm(key string) string {
	for _, form := range formSuffixes {
		for n := len(form) - 1; n > 1; n-- {
			if short, ok := strings.CutSuffix(key, form[:n]); ok {
				return short
			}
		}
	}

	return key
}

// vowelVariant returns a name in the other spelling of the vowel that was written î inside words until 1993 and has
// been written â since; false if the name has no such letter.
func vowelVariant(name string) (string, bool) {
	if strings.ContainsAny(name, "âÂ") {
		return older.Replace(name), true
	}
	if !strings.ContainsAny(name, "îÎ") {
		return "", false
	}

	inside, changed := false, false
	newer := strings.Map(func(r rune) rune {
		if inside && (r == 'î' || r == 'Î') {
			changed = true
			return r - 'î' + 'â' // the capitals have the same distance
		}

		inside = unicode.IsLetter(r)
		return r
	}, name)

	return newer, changed
}

var older = strings.NewReplacer("â", "î", "Â", "Î")

// nameWords returns the distinct words of a name, in both spellings of â and î, and its abbreviations as one word. A
// search for any of them finds the name.
func nameWords(name, key string) []string {
	all := appendNew(nil, key)
	if other, ok := vowelVariant(name); ok {
		all = appendNew(all, nameKey(other))
	}
	return appendNew(all, withoutDots(key))
}

// withoutDots writes each abbreviation in a key, which is a run of single letters, as one word: "c f r imaginar", from
// C.F.R. Imaginar, becomes "cfr imaginar".
func withoutDots(key string) string {
	var joined strings.Builder
	last := false // whether the last word is a single letter
	for word := range strings.FieldsSeq(key) {
		letter, size := utf8.DecodeRuneInString(word)
		single := size == len(word) && unicode.IsLetter(letter)
		if joined.Len() > 0 && !(single && last) {
			joined.WriteByte(' ')
		}

		joined.WriteString(word)
		last = single
	}

	return joined.String()
}

// appendNew appends the words of a key that are not in the list.
func appendNew(all []string, key string) []string {
	for word := range strings.FieldsSeq(key) {
		if !slices.Contains(all, word) {
			all = append(all, word)
		}
	}

	return all
}
