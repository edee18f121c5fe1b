package site

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rodata/rodata/api/company"
)

// addressLine formats an address on one line.
func addressLine(a *company.StructuredAddress) string {
	if a == nil {
		return ""
	}

	street := joinNonEmpty(" ", deref(a.Street), deref(a.Number))
	return joinNonEmpty(", ", street, deref(a.Details), deref(a.City), deref(a.County),
		deref(a.PostalCode), deref(a.Country))
}

// gap matches the parts of a register's address that say nothing, such as "-" and "NR.".
var gap = regexp.MustCompile(`(?i)^(?:(?:str|nr|bl|sc|et|ap|cam)\b)?[\s.-]*$`)

// withoutGaps returns an address on one line without the parts that say nothing.
func withoutGaps(line string) string {
	parts := strings.Split(line, ", ")
	return strings.Join(slices.DeleteFunc(parts, gap.MatchString), ", ")
}

// joinNonEmpty joins the texts that are not empty.
func joinNonEmpty(separator string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), separator)
}

// deref returns the value, or the zero value for nil.
func deref[T any](value *T) (v T) {
	if value != nil {
		v = *value
	}
	return v
}

// capitalize returns a text with its first letter in upper case.
func capitalize(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:size]) + text[size:]
}

// lowerFirst returns a text with its first letter in lower case.
func lowerFirst(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return strings.ToLower(text[:size]) + text[size:]
}
