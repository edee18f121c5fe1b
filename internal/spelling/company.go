package spelling

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The legal forms in folded names, where dots have become spaces. They are noise, because people do not search for
// them and often omit them.
var (
	formSuffixes = formSpellings(" ", "",
		"srl", "srl d", "sa", "snc", "scs", "sca", "ra", "pfa", "pf", "ii", "if", "af",
		"societate cu raspundere limitata", "societate pe actiuni", "societate in nume colectiv", "regie autonoma",
		"persoana fizica autorizata", "persoana fizica", "intreprindere individuala", "intreprindere familiala",
		"asociatie familiala")
	formPrefixes = formSpellings("", " ",
		"sc", "pfa", "pf", "ii", "if", "af", "societatea comerciala", "regia autonoma",
		"persoana fizica autorizata", "persoana fizica", "intreprindere individuala", "intreprindere familiala",
		"asociatia familiala")
)

// formSpellings returns legal forms with a prefix and a suffix. It also returns short forms letter by letter: "srl" and
// "s r l".
func formSpellings(prefix, suffix string, forms ...string) (all []string) {
	for _, form := range forms {
		all = append(all, prefix+form+suffix)
		if first, rest, _ := strings.Cut(form, " "); len(first) <= 3 {
			dotted := strings.TrimSpace(strings.Join(strings.Split(first, ""), " ") + " " + rest)
			all = append(all, prefix+dotted+suffix)
		}
	}

	return all
}

// CompanyKey normalises a name: it folds the name and removes legal forms from both ends. A name that consists only of
// legal forms keeps the first one.
func CompanyKey(name string) string {
	key := Fold(name)
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

// WithoutPartialForm strips an incomplete legal form from the end of a key that is still being typed: "fitlab s r".
func WithoutPartialForm(key string) string {
	for _, form := range formSuffixes {
		for n := len(form) - 1; n > 1; n-- {
			if short, ok := strings.CutSuffix(key, form[:n]); ok {
				return short
			}
		}
	}

	return key
}

// CompanyWords returns the distinct words of a company's name without its legal form, sorted, and its abbreviations as
// one word each. Two spellings of a name have the same words.
func CompanyWords(name string) []string {
	words := strings.Fields(JoinInitials(CompanyKey(name)))
	slices.Sort(words)
	return slices.Compact(words)
}

// JoinInitials writes each abbreviation in a key, which is a run of single letters, as one word: "c f r imaginar", from
// C.F.R. Imaginar, becomes "cfr imaginar".
func JoinInitials(key string) string {
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
