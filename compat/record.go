package compat

import (
	"bytes"
	"encoding/json"
)

// withDay returns a record of the tax authority with the requested day in date_generale.data. All other bytes stay the
// same. A record without that member is returned unchanged.
func withDay(record []byte, day string) []byte {
	from, to, ok := member(record, "date_generale")
	if !ok {
		return record
	}

	start, end, ok := member(record[from:to], "data")
	if !ok {
		return record
	}

	changed := make([]byte, 0, len(record)+len(day))
	changed = append(changed, record[:from+start]...)
	changed = append(changed, '"')
	changed = append(changed, day...)
	changed = append(changed, '"')
	return append(changed, record[from+end:]...)
}

// member finds the value of a member of a JSON object, as start and end offsets. It parses only as much as necessary: a
// decoder takes 30 times as long.
func member(object []byte, name string) (from, to int, ok bool) {
	i := skipSpace(object, 0)
	if i == len(object) || object[i] != '{' {
		return 0, 0, false
	}

	for i = skipSpace(object, i+1); i < len(object) && object[i] == '"'; i = skipSpace(object, i+1) {
		key := object[i:valueEnd(object, i)]
		i = skipSpace(object, i+len(key))
		if i == len(object) || object[i] != ':' {
			return 0, 0, false
		}

		from = skipSpace(object, i+1)
		to = valueEnd(object, from)
		var text string
		if json.Unmarshal(key, &text) == nil && text == name && from < to {
			return from, to, true
		}
		if i = skipSpace(object, to); i == len(object) || object[i] != ',' {
			return 0, 0, false
		}
	}

	return 0, 0, false
}

func skipSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n') {
		i++
	}
	return i
}

// valueEnd returns the end of the JSON value that starts at an offset.
func valueEnd(text []byte, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default: // of a number or a word, or between values
			if depth > 0 || i+1 < len(text) && !bytes.ContainsRune([]byte(",]} \t\r\n"), rune(text[i+1])) {
				continue
			}
		}

		if depth <= 0 {
			return min(i+1, len(text))
		}
	}

	return len(text)
}
