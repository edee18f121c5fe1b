package op

import (
	"bytes"
	"fmt"
	"net/mail"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// Text is a search text. Surrounding space is dropped; its length is limited like every parameter's.
type Text string

// UnmarshalText rejects a blank text.
func (t *Text) UnmarshalText(text []byte) error {
	trimmed := strings.TrimSpace(string(text))
	if trimmed == "" {
		return &problem.InputError{Code: problem.Empty, Accepted: "a text",
			Reason: "the text is blank; leave the parameter out to search without it"}
	}

	*t = Text(trimmed)
	return nil
}

// Schema describes the text.
func (Text) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", MinLength: 1, MaxLength: MaxArgBytes}
}

// OneOf returns the accepted value that a text equals. The error lists the accepted values.
func OneOf[T ~string](text []byte, accepted ...T) (T, error) {
	for _, a := range accepted {
		if string(text) == string(a) {
			return a, nil
		}
	}

	names := jsonschema.Enum(accepted...).Enum
	return "", &problem.InputError{Code: problem.NotOneOf, Accepted: "one of " + strings.Join(names, ", "),
		Suggestion: spelling.Nearest(string(text), names)}
}

// BoundedText checks the length of a text in characters.
func BoundedText[T ~string](text []byte, least, most int) (T, error) {
	n := utf8.RuneCount(text)
	if n >= least && n <= most {
		return T(text), nil
	}

	e := &problem.InputError{Code: problem.TooLong, Accepted: fmt.Sprintf("%d to %d characters", least, most),
		Reason: fmt.Sprintf("%d to %d characters are accepted, %d were sent", least, most, n)}
	if n < least {
		e.Code = problem.TooShort
	}

	return "", e
}

// ShownText checks a text of one line that people will read among others, such as a name: its length, and that every
// character of it is shown.
func ShownText[T ~string](text []byte, least, most int) (T, error) {
	if i := bytes.IndexFunc(text, spelling.IsHidden); i >= 0 {
		r, _ := utf8.DecodeRune(text[i:])
		return "", &problem.InputError{Code: problem.InvalidEncoding,
			Accepted: fmt.Sprintf("%d to %d characters without line breaks and control characters", least, most),
			Reason: fmt.Sprintf("it contains a line break or a control character (U+%04X), which would not be shown; "+
				"leave it out", r)}
	}

	return BoundedText[T](text, least, most)
}

// EmailAddress checks that a text is a bare e-mail address in ASCII, since not every mail server accepts others.
func EmailAddress(text []byte) (string, error) {
	address, err := mail.ParseAddress(string(text))
	if err != nil || !isPlain(string(text)) || address.Address != string(text) ||
		!strings.Contains(address.Address[strings.LastIndexByte(address.Address, '@'):], ".") {
		return "", &problem.InputError{Code: problem.InvalidFormat, Accepted: "an e-mail address, such as " +
			"ana@example.ro"}
	}
	return address.Address, nil
}

// Texts converts values to plain strings.
func Texts[T ~string](values []T) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = string(v)
	}
	return all
}

// UUIDForm matches a UUID in lower case.
var UUIDForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// Flag is true or false.
type Flag bool

// UnmarshalText parses true or false.
func (f *Flag) UnmarshalText(text []byte) error {
	name, err := OneOf(text, "true", "false")
	*f = name == "true"
	return err
}

// Schema describes the format of a flag.
func (Flag) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "boolean"} }

// Delimiter separates the cells of a CSV table.
type Delimiter rune

// UnmarshalText parses a comma, a semicolon or a tab.
func (d *Delimiter) UnmarshalText(text []byte) error {
	switch string(text) {
	case ",", ";":
		*d = Delimiter(text[0])
	case "tab":
		*d = '\t'
	default:
		return &problem.InputError{Code: problem.NotOneOf, Accepted: "a comma, a semicolon (%3B) or tab"}
	}

	return nil
}

// Schema lists the delimiters.
func (Delimiter) Schema() jsonschema.Schema { return jsonschema.Enum(",", ";", "tab") }
