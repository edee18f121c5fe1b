package anaf

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

// text is a string that tolerates null and numbers; all other values count as absent.
type text string

func (t *text) UnmarshalJSON(raw []byte) error {
	switch raw[0] {
	case '"':
		if inside := raw[1 : len(raw)-1]; !bytes.ContainsRune(inside, '\\') {
			*t = text(inside) // faster, and most texts have no escapes
			return nil
		}
		return json.Unmarshal(raw, (*string)(t))
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		*t = text(raw)
	}

	return nil
}

// number is a whole number, possibly encoded as a string; all other values become -1, which no company has.
type number int64

func (n *number) UnmarshalJSON(raw []byte) error {
	var t text
	if err := t.UnmarshalJSON(raw); err != nil {
		return err
	}

	value, err := strconv.ParseInt(strings.TrimSpace(string(t)), 10, 64)
	if err != nil {
		value = -1
	}

	*n = number(value)
	return nil
}

// flag is true, false, or nil if absent.
type flag struct{ *bool }

func (f *flag) UnmarshalJSON(raw []byte) error {
	switch strings.ToLower(strings.Trim(string(raw), `" `)) {
	case "true", "1":
		f.bool = new(true)
	case "false", "0":
		f.bool = new(false)
	}

	return nil
}

// amount is a whole number. It is nil if the value is absent or not a whole number.
type amount struct{ *int64 }

func (a *amount) UnmarshalJSON(raw []byte) error {
	var t text
	if err := t.UnmarshalJSON(raw); err != nil {
		return err
	}

	s := strings.TrimSpace(string(t))
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		a.int64 = &n
	} else if f, err := strconv.ParseFloat(s, 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 { // 1000.0
		a.int64 = new(int64(f))
	}

	return nil
}

// list is an array that may be null, or a single object as in the register's own documentation. An element of another
// type becomes an empty one, so that it does not affect the others.
type list[T any] []T

func (l *list[T]) UnmarshalJSON(raw []byte) error {
	return l.read(json.NewDecoder(bytes.NewReader(raw)), raw, func() {})
}

// read reads the next value of a decoder of text as a list. It calls pause after each element.
func (l *list[T]) read(in *json.Decoder, text []byte, pause func()) error {
	*l = nil
	switch next := bytes.TrimLeft(text[in.InputOffset():], ": \t\r\n"); {
	case bytes.HasPrefix(next, []byte("{")):
		return l.add(in)
	case !bytes.HasPrefix(next, []byte("[")):
		return in.Decode(new(json.RawMessage))
	}

	if _, err := in.Token(); err != nil { // the opening bracket
		return err
	}

	for in.More() {
		if err := l.add(in); err != nil {
			return err
		}
		pause()
	}

	_, err := in.Token() // the closing bracket
	return err
}

// add appends a decoder's next value.
func (l *list[T]) add(in *json.Decoder) error {
	var element, empty T
	err := in.Decode(&element)
	if _, mistyped := errors.AsType[*json.UnmarshalTypeError](err); mistyped {
		element, err = empty, nil
	}

	*l = append(*l, element)
	return err
}
