package samples

import (
	"bytes"
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

var (
	pythonValues = values{
		quote: quote, null: "None", yes: "True", no: "False", object: [2]string{"{", "}"}, colon: ": ",
	}
	phpValues = values{
		quote: quotePHP, null: "null", yes: "true", no: "false", object: [2]string{"[", "]"}, colon: " => ",
	}
)

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

// quote returns a text as a JSON string, which is also a valid literal in JavaScript, Python, C# and Go.
func quote(text string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

// quoteShell quotes a text for a POSIX shell.
func quoteShell(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// quoteGo quotes a text, raw if that is possible.
func quoteGo(text string) string {
	if strings.ContainsAny(text, "`\n\r") {
		return quote(text)
	}
	return "`" + text + "`"
}

// quoteRaw quotes a line of JSON for C#. The line neither begins nor ends with a quotation mark.
func quoteRaw(text string) string {
	marks := `"""`
	for strings.Contains(text, marks) {
		marks += `"`
	}
	return marks + text + marks
}

// quotePHP quotes a text so that PHP replaces nothing in it.
func quotePHP(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}

// quotePHPLines is like quotePHP, with line breaks as escapes.
func quotePHPLines(text string) string {
	return strings.ReplaceAll(quotePHP(text), "\n", `' . "\n" . '`)
}
