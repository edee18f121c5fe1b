package onrc

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rodata/rodata/internal/spelling"
)

// maxText bounds the length of the register's texts, in bytes. The longest real names and addresses have about 500.
const maxText = 2000

// clean normalises a text of the register for display, with a bounded length.
func clean(s string) string {
	if isClean(s) {
		return s
	}

	s = spelling.Clean(s)
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
		if c < ' ' || c > '~' || c == '&' || c == ' ' && before == ' ' {
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
