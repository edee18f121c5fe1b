package api

import (
	"bytes"

	"github.com/rodata/rodata/internal/jsontext"
)

// object is a JSON object that keeps the order of its members.
type object struct {
	bytes.Buffer
}

func (o *object) add(name string, value any) {
	if o.Len() > 0 {
		o.WriteByte(',')
	}

	o.Write(jsontext.MustEncode(name))
	o.WriteByte(':')
	o.Write(jsontext.MustEncode(value))
}

func (o *object) addText(name, value string) {
	if value != "" {
		o.add(name, value)
	}
}

// MarshalJSON encodes the members in insertion order.
func (o *object) MarshalJSON() ([]byte, error) {
	return []byte("{" + o.String() + "}"), nil
}

// members returns a JSON object of alternating names and values.
func members(pairs ...any) *object {
	o := new(object)
	for i := 0; i < len(pairs); i += 2 {
		o.add(pairs[i].(string), pairs[i+1])
	}
	return o
}
