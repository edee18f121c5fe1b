// Package jsontext encodes values in the form in which the service sends and stores JSON: without indentation, without
// a final newline, and with <, > and & as themselves, which encoding/json escapes by default.
package jsontext

import (
	"bytes"
	"encoding/json"
)

// Encode returns the JSON text of a value.
func Encode(value any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}

	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// MustEncode is Encode for the service's own types, which can always be encoded. It panics on an error.
func MustEncode(value any) []byte {
	text, err := Encode(value)
	if err != nil {
		panic(err)
	}
	return text
}
