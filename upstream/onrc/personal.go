package onrc

import (
	"bytes"
	"regexp"
)

// personalLength is the number of digits of a personal number (CNP).
const personalLength = 13

// isPersonal reports whether a cell is a personal number. Any 13 digits count, because a tax id has at most 10.
func isPersonal(cell []byte) bool {
	return len(cell) == personalLength && digitsAt(cell, 0) == personalLength
}

// withoutPersonal removes personal numbers from a text. Register numbers of 13 digits have a letter before them, and
// stay.
func withoutPersonal(cell []byte) ([]byte, bool) {
	found := false
	for i := 0; i < len(cell); i++ {
		n := digitsAt(cell, i)
		if n == 0 {
			continue
		}

		if n == personalLength && (i == 0 || !isLetter(cell[i-1])) {
			if !found {
				cell, found = bytes.Clone(cell), true
			}

			cell = append(cell[:i], cell[i+n:]...)
			i--
			continue
		}

		i += n
	}

	return cell, found
}

// dateInText matches a date in a text about a person. Such a date can only be the date of birth or of a document.
var dateInText = regexp.MustCompile(`\b\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d\d(?: \d\d:\d\d(?::\d\d)?)?\b|\b(?:19|20)\d\d-\d\d-\d\d\b`)

// withoutDates removes dates from a text.
func withoutDates(cell []byte) ([]byte, bool) {
	if !bytes.ContainsAny(cell, "0123456789") || !dateInText.Match(cell) {
		return cell, false
	}
	return dateInText.ReplaceAll(cell, nil), true
}

// digitsAt returns the number of digits at an offset of a text.
func digitsAt(text []byte, from int) int {
	n := from
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n - from
}

func isLetter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }
