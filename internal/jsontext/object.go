package jsontext

import "bytes"

// Object is a JSON object that keeps the order of its members. The zero value has none.
type Object struct {
	members bytes.Buffer
}

// NewObject returns a JSON object of alternating names and values.
func NewObject(pairs ...any) *Object {
	o := new(Object)
	for i := 0; i < len(pairs); i += 2 {
		o.Add(pairs[i].(string), pairs[i+1])
	}
	return o
}

// Add appends a member.
func (o *Object) Add(name string, value any) {
	if o.members.Len() > 0 {
		o.members.WriteByte(',')
	}

	o.members.Write(MustEncode(name))
	o.members.WriteByte(':')
	o.members.Write(MustEncode(value))
}

// AddText appends a member, unless its value is empty.
func (o *Object) AddText(name, value string) {
	if value != "" {
		o.Add(name, value)
	}
}

// MarshalJSON encodes the members in the order in which they were added.
func (o *Object) MarshalJSON() ([]byte, error) {
	return []byte("{" + o.members.String() + "}"), nil
}
