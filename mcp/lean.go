package mcp

import "bytes"

// appendLean appends a document without the members that are null. They would cost a model tokens without telling it
// anything. Nulls in arrays stay, because removing them would change the positions of other items.
func appendLean(b, document []byte) []byte {
	from := 0 // of the part that is still to be copied
	for at := nextNull(document, 0); at >= 0; at = nextNull(document, from) {
		name := bytes.LastIndexByte(document[:at], '"')
		b = append(b, document[from:name]...)
		from = at + len(nullMember)
		if document[from] == ',' {
			from++
		} else {
			b = bytes.TrimSuffix(b, []byte(","))
		}
	}

	return append(b, document[from:]...)
}

// nullMember is the end of a member that is null, starting with the quote after its name.
const nullMember = `":null`

// nextNull returns the offset of the next nullMember, or a negative number if there are no more. A match counts only
// after a letter or digit, the last character of a name. Within a string, a backslash precedes the quote; at the start
// of a string, punctuation does.
func nextNull(document []byte, from int) int {
	for {
		i := bytes.Index(document[from:], []byte(nullMember))
		if i < 0 {
			return -1
		}

		at := from + i
		if last := document[at-1]; last >= '0' && last <= '9' || last >= 'A' && last <= 'Z' ||
			last >= 'a' && last <= 'z' {
			return at
		}

		from = at + 1
	}
}
