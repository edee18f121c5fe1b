package spelling

import "unicode"

// OnlyDigits reports whether a text has no other characters than ASCII digits.
func OnlyDigits[T string | []byte](text T) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// IsHidden reports whether a character has no place in a name: it is not shown as itself, and breaks the line or
// changes the direction of the text around it (control characters, line separators, and Unicode's Bidi_Control).
func IsHidden(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}
