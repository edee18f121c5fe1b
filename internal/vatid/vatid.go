// Package vatid parses VAT numbers of the European Union: which member state issued one, whether it has the state's
// format, and whether its check digit is correct. It does not know whether a number is registered; VIES does.
package vatid

import "strings"

// Number is a VAT number in its canonical form: the code of the member state and the number, in upper case and without
// separators, as DE811569869. The zero value is no number.
type Number string

// State returns the member state that issued the number.
func (n Number) State() State { return State(n[:2]) }

// National returns the number without the code of its state.
func (n Number) National() string { return string(n[2:]) }

// Parse parses a VAT number with the code of its state. It accepts lower case, spaces, dots and hyphens, and GR
// instead of EL for Greece. It normalises optional leading zeros: a Belgian number of nine digits and a Greek number
// of eight digits get a zero, and a Romanian number has none. The error is an *Error.
func Parse(text string) (Number, error) {
	plain := compact(text)
	if len(plain) < 2 {
		return "", &Error{Kind: NoState}
	}

	code, national := State(plain[:2]), plain[2:]
	switch code {
	case "GR":
		code, plain = "EL", "EL"+national
	case "GB":
		return "", &Error{Kind: LeftVIES, State: code}
	}

	rule, known := rules[code]
	if !known {
		return "", &Error{Kind: NoState}
	}

	if rule.canonical != nil {
		if settled := rule.canonical(national); settled != national {
			national, plain = settled, string(code)+settled
		}
	}

	if !rule.fits(national) {
		return "", &Error{Kind: WrongForm, State: code}
	}
	if rule.check != nil && !rule.check(national) {
		return "", &Error{Kind: WrongDigit, State: code}
	}

	return Number(plain), nil
}

// compact removes separators and converts letters to upper case. Most numbers need neither.
func compact(text string) string {
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c < 'A' || c > 'Z') {
			return strings.Map(compactRune, text)
		}
	}

	return text
}

func compactRune(r rune) rune {
	switch {
	case r == ' ', r == '.', r == '-', r == '\u00a0':
		return -1
	case 'a' <= r && r <= 'z':
		return r - 'a' + 'A'
	}

	return r
}

// Error describes why a text is not a VAT number.
type Error struct {
	Kind Kind
	// State is the state whose code is the text's prefix; empty for none.
	State State
}

// Kind is the reason why a text is not a VAT number.
type Kind int

// The kinds of errors.
const (
	// NoState: the text does not begin with the code of a member state.
	NoState Kind = iota
	// LeftVIES: the number is British, and VIES no longer covers Great Britain.
	LeftVIES
	// WrongForm: the text does not match the format of its state.
	WrongForm
	// WrongDigit: the check digit is not correct.
	WrongDigit
)

// Error returns a sentence about the text, which it calls "it".
func (e *Error) Error() string {
	switch e.Kind {
	case LeftVIES:
		return "it begins with GB, and the numbers of Great Britain left VIES on 2021-01-01; " +
			"HMRC checks them, and those of Northern Ireland begin with XI"
	case WrongForm:
		return "it does not have the form of a VAT number of " + e.State.Name() + ", which is " + e.State.Form()
	case WrongDigit:
		return "it has the form of a VAT number of " + e.State.Name() +
			", but its control digit does not match: a character is mistyped"
	}

	return "it does not begin with the code of a member state, such as RO, DE or EL for Greece"
}

// Accepted describes the accepted texts.
func (e *Error) Accepted() string {
	if e.Kind == NoState || e.Kind == LeftVIES {
		return "the code of a member state (EL for Greece), or XI for Northern Ireland, and the number, as RO14399840"
	}
	return e.State.Form()
}
