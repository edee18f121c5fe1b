package onrc

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText bounds every text of the register, in bytes. The longest real names
// and addresses have about 500.
const maxText = 2000

// commaBelow replaces the letters with cedilla, which the register still writes,
// by the Romanian ones.
var commaBelow = strings.NewReplacer("ş", "ș", "Ş", "Ș", "ţ", "ț", "Ţ", "Ț")

// clean makes a text of the register fit to be shown: Romanian diacritics, single
// spaces, no control or invisible characters, bounded length.
func clean(s string) string {
	if isClean(s) {
		return s
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case r == utf8.RuneError, unicode.In(r, unicode.Cf, unicode.Co):
			return -1 // such as marks that turn the direction of writing
		}
		return r
	}, s)
	s = commaBelow.Replace(strings.Join(strings.Fields(s), " "))
	if len(s) <= maxText {
		return s
	}
	end := maxText
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.TrimSpace(s[:end])
}

// isClean reports a text that clean would not change, for the many that are.
func isClean(s string) bool {
	if len(s) > maxText {
		return false
	}
	before := byte(' ')
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c > '~' || c == ' ' && before == ' ' {
			return false
		}
		before = c
	}
	return before != ' ' || s == ""
}

// says reports whether a text has a letter or a digit: "-" and "." say nothing.
func says(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
