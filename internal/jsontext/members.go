package jsontext

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
)

// Members returns the names and values of a JSON object's members, in order. It returns nothing for any other JSON
// value. The text must be valid JSON, for example from this service's own encoder, because Members neither checks nor
// copies it. Names are returned without quotation marks and with their escapes.
func Members(object json.RawMessage) iter.Seq2[[]byte, json.RawMessage] {
	return func(yield func([]byte, json.RawMessage) bool) {
		for rest := inside(object, '{'); len(rest) > 0; {
			name, after := cutValue(rest)
			value, next := cutValue(after)
			if len(name) < 2 || len(value) == 0 || !yield(name[1:len(name)-1], value) {
				return
			}

			rest = next
		}
	}
}

// Elements returns the elements of a JSON array. Like Members, it requires valid JSON.
func Elements(array json.RawMessage) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		for rest := inside(array, '['); len(rest) > 0; {
			element, next := cutValue(rest)
			if len(element) == 0 || !yield(element) {
				return
			}

			rest = next
		}
	}
}

// inside returns the text between the brackets of an object or array; nil for another value.
func inside(value []byte, bracket byte) []byte {
	value = bytes.TrimSpace(value)
	if len(value) < 2 || value[0] != bracket {
		return nil
	}
	return bytes.TrimSpace(value[1 : len(value)-1])
}

// separators stand between values.
const separators = " \t\r\n,:"

// cutValue returns the first value of a text, and the rest of the text after the value and its separators.
func cutValue(text []byte) (value, rest []byte) {
	n := lengthOf(text)
	return text[:n], bytes.TrimLeft(text[n:], separators)
}

// lengthOf returns the length of the value that begins a text.
func lengthOf(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i += stringLength(text[i:]) - 1
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth > 0 {
				continue
			}
			if n := bytes.IndexAny(text[i:], separators); n >= 0 { // a number, true, false or null
				return i + n
			}
			return len(text)
		}

		if depth <= 0 {
			return min(i+1, len(text))
		}
	}

	return len(text)
}

// stringLength returns the length of the string that begins a text, with its quotation marks.
func stringLength(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}

	return len(text)
}

// Unescape decodes a JSON string, given without its quotation marks.
func Unescape(quoted []byte) (text string) {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted)
	}

	_ = json.Unmarshal(slices.Concat([]byte(`"`), quoted, []byte(`"`)), &text) // the caller has checked the JSON
	return text
}
