package api

import (
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"unicode/utf8"
)

// Text is free text to search by. Its length is bounded like that of every
// parameter; space around it does not count.
type Text string

// UnmarshalText refuses a text of nothing but space.
func (t *Text) UnmarshalText(text []byte) error {
	trimmed := strings.TrimSpace(string(text))
	if trimmed == "" {
		return errors.New("the text is blank; leave the parameter out to search without it")
	}
	*t = Text(trimmed)
	return nil
}

// Schema describes the text.
func (Text) Schema() Schema { return Schema{Type: "string", MinLength: 1, MaxLength: maxArgBytes} }

// OneOf is a parameter with a fixed set of values, named by its type: the zero
// value is an absent parameter.
func oneOf(text []byte, accepted ...string) (string, error) {
	for _, a := range accepted {
		if string(text) == a {
			return a, nil
		}
	}
	return "", fmt.Errorf("accepted: %s", strings.Join(accepted, ", "))
}

// boundedText checks the length of a text in characters.
func boundedText(text []byte, least, most int) (string, error) {
	if n := utf8.RuneCount(text); n < least || n > most {
		return "", fmt.Errorf("%d to %d characters are accepted, %d were sent", least, most, n)
	}
	return string(text), nil
}

// emailAddress checks that a text is one bare e-mail address, in ASCII: not every
// mail server takes others.
func emailAddress(text []byte) (string, error) {
	address, err := mail.ParseAddress(string(text))
	if err != nil || !plain(string(text)) || address.Address != string(text) || !strings.Contains(address.Address[strings.LastIndexByte(address.Address, '@'):], ".") {
		return "", errors.New("an e-mail address is needed, as ana@example.ro")
	}
	return address.Address, nil
}
