package anaf

import (
	"strings"
	"unicode"

	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/ro"
)

// maxText bounds the length of the register's texts, in characters. The longest real addresses have about 250.
const maxText = 500

// clean normalises a text of the register for display, with a bounded length.
func clean(t text) string {
	s := spelling.Clean(string(t))
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

// digits returns a code of digits. The register drops a leading zero, and no CAEN class or postal code begins with two.
// It returns nil if the text is absent or not a code of this width.
func digits(t text, width int) *string {
	s := clean(t)
	if len(s) == width-1 {
		s = "0" + s
	}
	if len(s) != width || strings.HasPrefix(s, "00") || strings.Trim(s, "0123456789") != "" {
		return nil
	}

	return &s
}

// postalCode returns a postal code of six digits, or one of another country as sent.
func postalCode(t text, country *string) *string {
	if country != nil {
		return optional(t)
	}
	return digits(t, 6)
}

// day parses a date, with or without a time. It returns nil if the date is absent or invalid, and for placeholders such
// as 0001-01-01 and the open end 9999-12-31.
func day(t text) *ro.Date {
	d, err := ro.ParseDate(clean(t))
	if err != nil || d.Year() < 1800 || d.Year() == 9999 {
		return nil
	}
	return &d
}
