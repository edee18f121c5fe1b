package anaf

import (
	"strings"
	"unicode"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/internal/spelling"
)

// maxText bounds the length of the register's texts, in characters. The longest real addresses have about 250.
const maxText = 500

// clean normalises a text of the register for display: Romanian diacritics, single spaces, no control or invisible
// characters, bounded length.
func clean(t text) string {
	s := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case unicode.In(r, unicode.Cf, unicode.Co), r == unicode.ReplacementChar:
			return -1 // such as marks that change the writing direction
		}

		return r
	}, string(t))

	s = spelling.CommaBelow(strings.Join(strings.Fields(s), " "))
	length := 0
	for i := range s {
		if length++; length > maxText {
			return strings.TrimSpace(s[:i])
		}
	}

	return s
}

// optional returns a cleaned text. It returns nil if the text has no content: "", " ", "-".
func optional(t text) *string {
	s := clean(t)
	if !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return nil
	}
	return &s
}

// digits pads a number with zeros to its official width, because the register drops leading zeros. It returns nil if
// the number is absent, zero, too long, or not a number.
func digits(t text, width int) *string {
	s := clean(t)
	if len(s) > width || strings.Trim(s, "0") == "" || strings.Trim(s, "0123456789") != "" {
		return nil
	}

	return new(strings.Repeat("0", width-len(s)) + s)
}

// day parses a date in either of the register's formats, 2022-03-01 or 01.03.2022. It ignores a time after the date. It
// returns nil if the date is absent or invalid.
func day(t text) *api.Date {
	s := clean(t)
	if len(s) > 10 && (s[10] == ' ' || s[10] == 'T') {
		s = s[:10]
	}
	if len(s) == 10 && s[2] == '.' && s[5] == '.' {
		s = s[6:] + "-" + s[3:5] + "-" + s[:2]
	}

	d, err := api.ParseDate(s)
	if err != nil || d.Year() < 1800 { // placeholders such as 0001-01-01
		return nil
	}

	return &d
}
