package site

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rodata/rodata/client"
)

// written formats an address on one line.
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

// deref returns the text, or an empty string for nil.
func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// capital returns a text with its first letter in upper case.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// lowered returns a text with its first letter in lower case.
func lowered(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToLower(first)) + text[size:]
}
