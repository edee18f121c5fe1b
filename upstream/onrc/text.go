package onrc

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rodata/rodata/internal/spelling"
)

// maxText bounds the length of the register's texts, in bytes. The longest real names and addresses have about 500.
const maxText = 2000

// clean normalises a text of the register for display: Romanian diacritics, single spaces, no control or invisible
// characters, bounded length.
func clean(s string) string {
	if isClean(s) {
		return s
	}

	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case r == utf8.RuneError, unicode.In(r, unicode.Cf, unicode.Co):
			return -1 // such as marks that change the writing direction
		}

		return r
	}, s)

	s = spelling.CommaBelow(strings.Join(strings.Fields(s), " "))
	if len(s) <= maxText {
		return s
	}

	end := maxText
	for !utf8.RuneStart(s[end]) {
		end--
	}

	return strings.TrimSpace(s[:end])
}

// isClean reports whether clean would return the text unchanged, which is the usual case.
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

// hasContent reports whether a text has a letter or a digit: "-" and "." have no content.
func hasContent(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
