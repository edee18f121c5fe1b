package spelling

import "unicode"

// IsHidden reports whether a character has no place in a name: it is not shown as itself, and breaks the line or
// changes the direction of the text around it (control characters, line separators, and Unicode's Bidi_Control).
func IsHidden(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}
