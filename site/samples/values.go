package samples

import (
	"encoding/json"
	"fmt"
	"strings"
)

// values writes JSON as literals of a language that writes lists in square brackets.
type values struct {
	quote         func(string) string
	null, yes, no string
	object        [2]string // around the members
	colon         string    // between name and value
}

// write returns the literal for a JSON text. It panics if the text is not valid JSON.
func (v values) write(text string) string {
	var b strings.Builder
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := v.value(&b, decoder); err != nil {
		panic(fmt.Errorf("the body of a sample: %w", err))
	}

	return b.String()
}

// value copies the next value, with the members of objects in their order.
func (v values) value(b *strings.Builder, decoder *json.Decoder) error {
	token, err := decoder.Token()
	if err != nil {
		return err
	}

	switch token := token.(type) {
	case json.Delim:
		return v.composite(b, decoder, token)
	case string:
		b.WriteString(v.quote(token))
	case bool:
		b.WriteString(map[bool]string{true: v.yes, false: v.no}[token])
	case nil:
		b.WriteString(v.null)
	default:
		fmt.Fprint(b, token)
	}

	return nil
}

// composite copies the rest of an object or a list after its opening bracket has been read.
func (v values) composite(b *strings.Builder, decoder *json.Decoder, begin json.Delim) error {
	around := [2]string{"[", "]"}
	if begin == '{' {
		around = v.object
	}

	b.WriteString(around[0])
	for i := 0; decoder.More(); i++ {
		if i > 0 {
			b.WriteString(", ")
		}

		if begin == '{' {
			if err := v.value(b, decoder); err != nil {
				return err
			}
			b.WriteString(v.colon)
		}

		if err := v.value(b, decoder); err != nil {
			return err
		}
	}

	b.WriteString(around[1])
	_, err := decoder.Token() // the end
	return err
}
