package compat

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/rodata/rodata/api"
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
	for key, value := range api.Members(object) {
		if string(unescaped(key)) == name {
			return value
		}
	}

	return nil
}

// unescaped returns the name of a member without its escapes.
func unescaped(key []byte) []byte {
	if bytes.IndexByte(key, '\\') < 0 {
		return key
	}

	var name string
	_ = json.Unmarshal(slices.Concat([]byte(`"`), key, []byte(`"`)), &name) // the record is valid JSON
	return []byte(name)
}
