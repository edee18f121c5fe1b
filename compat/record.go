package compat

import (
	"bytes"
	"slices"

	"github.com/rodata/rodata/internal/jsontext"
)

// withDay returns a record of the tax authority with the requested day in date_generale.data. All other bytes stay the
// same. A record without that member is returned unchanged.
func withDay(record []byte, day string) []byte {
	value := member(member(record, "date_generale"), "data")
	if value == nil {
		return record
	}

	start := cap(record) - cap(value) // the value is a part of the record
	return slices.Concat(record[:start], []byte(`"`+day+`"`), record[start+len(value):])
}

// member returns the value of a member of a JSON object, as a part of the object's text; nil if there is none.
func member(object []byte, name string) []byte {
	for key, value := range jsontext.Members(object) {
		if string(key) == name || bytes.IndexByte(key, '\\') >= 0 && jsontext.Unescape(key) == name {
			return value
		}
	}

	return nil
}
