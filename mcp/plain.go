package mcp

import (
	"bytes"
	"encoding/json"

	"github.com/rodata/rodata/internal/jsontext"
)

// plainMessage decodes a request in the form that almost all clients send: exactly the four usual members and no
// escapes in names and strings. It returns nil for any other message; encoding/json then decodes it at several times
// the cost.
func plainMessage(body []byte) *message {
	if !json.Valid(body) {
		return nil
	}

	m := new(message)
	ok := true
	for name, value := range jsontext.Members(body) {
		switch {
		case string(name) == "jsonrpc" && m.Version == "":
			m.Version, ok = plainText(value)
		case string(name) == "id" && m.ID == nil:
			m.ID = value
		case string(name) == "method" && m.Method == "":
			m.Method, ok = plainText(value)
		case string(name) == "params" && m.Params == nil:
			m.Params, ok = plainObject(value)
		default:
			ok = false
		}

		if !ok {
			return nil
		}
	}

	if m.Method == "" || !validID(m.ID) {
		return nil
	}

	return m
}

// plainObject returns the members of a JSON object. It returns false if the value is not an object or if a name
// contains an escape. The value must be valid JSON.
func plainObject(value json.RawMessage) (map[string]json.RawMessage, bool) {
	if len(value) == 0 || value[0] != '{' {
		return nil, false
	}

	object := make(map[string]json.RawMessage)
	for name, member := range jsontext.Members(value) {
		if bytes.IndexByte(name, '\\') >= 0 {
			return nil, false
		}
		object[string(name)] = member
	}

	return object, true
}

// plainText returns the text of a JSON string. It returns false if the value is not a string or contains escapes. The
// value must be valid JSON.
func plainText(value json.RawMessage) (string, bool) {
	if len(value) < 2 || value[0] != '"' || bytes.IndexByte(value, '\\') >= 0 {
		return "", false
	}
	return string(value[1 : len(value)-1]), true
}
