package anaf

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
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

// list is an array, or a single object as in the register's own documentation. Anything else, such as null or "", is a
// nil list. An element of another type is decoded as the zero value, so that it does not affect the others.
type list[T any] []T

func (l *list[T]) UnmarshalJSON(raw []byte) error {
	*l = nil
	switch raw[0] {
	case '{':
		raw = slices.Concat([]byte("["), raw, []byte("]"))
	case '[':
	default:
		return nil
	}

	return unmarshal(raw, (*[]T)(l))
}

// unmarshal is json.Unmarshal, except that a value of another type is left empty, so that it does not affect the
// others.
func unmarshal(raw []byte, v any) error {
	err := json.Unmarshal(raw, v)
	if _, mistyped := errors.AsType[*json.UnmarshalTypeError](err); mistyped {
		return nil
	}

	return err
}
