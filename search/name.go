package search

import (
	"slices"
	"strings"
	"unicode"

	"github.com/rodata/rodata/internal/spelling"
)

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
		all = appendNew(all, spelling.CompanyKey(other))
	}
	return appendNew(all, spelling.JoinInitials(key))
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
