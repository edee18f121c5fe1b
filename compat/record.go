package compat

import (
	"bytes"
	"encoding/json"
)

// withDay returns a record of the tax authority with another day in date_generale.data,
// which tells the day that was asked for. Everything else stays byte for byte; so does a
// record without that member.
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

// member finds the value of a member of a JSON object: the bytes from one offset to another.
func member(object []byte, name string) (from, to int, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return 0, 0, false
	}

	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return 0, 0, false
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return 0, 0, false
		}
		if t == name {
			to = int(dec.InputOffset())
			return to - len(value), to, true
		}
	}
	return 0, 0, false
}
