package onrc

import (
	"bytes"
	"regexp"
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

// website returns the first web address in a text, without the scheme and in lower case except for its path:
// "HTTP://WWW.Exemplu.RO/" becomes www.exemplu.ro. It returns the empty text if there is none. An e-mail address does
// not count.
func website(text string) string {
	for word := range strings.FieldsFuncSeq(text,
		func(r rune) bool { return r <= ' ' || r == ',' || r == ';' || r == '|' }) {
		if i := strings.Index(word, "//"); i >= 0 {
			word = word[i+2:]
		}

		host, path, _ := strings.Cut(word, "/")
		host = strings.Trim(strings.ToLower(host), ".")
		if !isHost(host) {
			continue
		}
		if path = strings.TrimRight(path, "/"); path != "" {
			return host + "/" + path
		}

		return host
	}

	return ""
}

// isHost reports whether a name is a host with a domain that ends in letters. In "www.exemplu,ro", neither part is one.
func isHost(name string) bool {
	domain := strings.TrimPrefix(name, "www.")
	return len(name) <= 253 && dottedLabels.MatchString(domain) &&
		!strings.Contains("."+domain, ".-") && !strings.Contains(domain, "-.") && !strings.HasSuffix(domain, "-")
}

var dottedLabels = regexp.MustCompile(`^(?:[a-z0-9[:^ascii:]-]+\.)+[a-z[:^ascii:]-]{2,}$`)
