package site

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rodata/rodata/client"
)

// addressLine formats an address on one line.
func addressLine(a *client.Address) string {
	if a == nil {
		return ""
	}

	street := joined(" ", deref(a.Street), deref(a.Number))
	return joined(", ", street, deref(a.Details), deref(a.City), deref(a.County), deref(a.PostalCode), deref(a.Country))
}

// joined joins the texts that are not empty.
func joined(separator string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), separator)
}

// deref returns the text, or an empty string for nil.
func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// capitalized returns a text with its first letter in upper case.
func capitalized(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:size]) + text[size:]
}

// lowered returns a text with its first letter in lower case.
func lowered(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return strings.ToLower(text[:size]) + text[size:]
}
