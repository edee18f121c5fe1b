package mcp

import "bytes"

// appendLean writes a document as tools show it: without the members that are null, which would cost a model tokens and
// tell it nothing. Nulls in arrays stay, because they have a position.
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

// nullMember ends a member that is null, from the quote after its name on.
const nullMember = `":null`

// nextNull returns the place of the next nullMember; negative if there is none. Inside a text, a backslash precedes the
// quote, and before the first quote of a text stands punctuation. So a name's last character tells them apart.
func nextNull(document []byte, from int) int {
	for {
		i := bytes.Index(document[from:], []byte(nullMember))
		if i < 0 {
			return -1
		}
		at := from + i
		if last := document[at-1]; last >= '0' && last <= '9' || last >= 'A' && last <= 'Z' || last >= 'a' && last <= 'z' {
			return at
		}
		from = at + 1
	}
}
