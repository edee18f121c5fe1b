package site

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rodata/rodata/client"
)

// written writes an address in one line.
func written(a *client.Address) string {
	if a == nil {
		return ""
	}
	street := joined(" ", deref(a.Street), deref(a.Number))
	return joined(", ", street, deref(a.Details), deref(a.City), deref(a.County), deref(a.PostalCode), deref(a.Country))
}

// joined joins the texts that are not empty.
func joined(separator string, texts ...string) string {
	var found []string
	for _, text := range texts {
		if text != "" {
			found = append(found, text)
		}
	}
	return strings.Join(found, separator)
}

// deref is a text, empty if there is none.
func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// capital writes a text with a capital first letter.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// lowered writes a text with a small first letter.
func lowered(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToLower(first)) + text[size:]
}
