package ro

import (
	"strings"

	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// VATNumber is a VAT number of the Union in its canonical form: the code of the member state and the number, in upper
// case and without separators, as DE811569869. It may not be registered; VIES knows. The zero value is no number.
type VATNumber string

// State returns the member state that issued the number.
func (n VATNumber) State() MemberState { return MemberState(n[:2]) }

// National returns the number without the code of its state.
func (n VATNumber) National() string { return string(n[2:]) }

// CUI returns the CUI of a Romanian number, and 0 for any other.
func (n VATNumber) CUI() (c CUI) {
	if n.State() == "RO" {
		_ = c.UnmarshalText([]byte(n.National())) // the same rule applies
	}
	return c
}

// ParseVATNumber parses a VAT number with the code of its state, and verifies its format and check digit. It accepts
// lower case, spaces, dots and hyphens, and GR instead of EL for Greece. It normalises optional leading zeros: a
// Belgian number of nine digits and a Greek number of eight digits get a zero, and a Romanian number has none. The
// error is an input error.
func ParseVATNumber(text string) (VATNumber, error) {
	plain := compact(text)
	if len(plain) < 2 {
		return "", errNoState
	}

	code, national := MemberState(plain[:2]), plain[2:]
	switch code {
	case "GR":
		code, plain = "EL", "EL"+national
	case "GB":
		return "", errLeftVIES
	}

	rule, known := rules[code]
	if !known {
		return "", errNoState
	}

	if rule.canonical != nil {
		if settled := rule.canonical(national); settled != national {
			national, plain = settled, string(code)+settled
		}
	}

	if !rule.fits(national) {
		return "", &problem.InputError{Code: problem.InvalidFormat, Accepted: code.form(),
			Reason: "it does not have the form of a VAT number of " + code.Name() + ", which is " + code.form()}
	}
	if rule.check != nil && !rule.check(national) {
		return "", &problem.InputError{Code: problem.CheckDigit, Accepted: code.form(),
			Reason: "it has the form of a VAT number of " + code.Name() +
				", but its control digit does not match: a character is mistyped"}
	}

	return VATNumber(plain), nil
}

const stateForm = "the code of a member state (EL for Greece), or XI for Northern Ireland, and the number, as RO14399840"

var (
	errNoState = &problem.InputError{Code: problem.InvalidFormat, Accepted: stateForm,
		Reason: "it does not begin with the code of a member state, such as RO, DE or EL for Greece"}
	errLeftVIES = &problem.InputError{Code: problem.InvalidFormat, Accepted: stateForm,
		Reason: "it begins with GB, and the numbers of Great Britain left VIES on 2021-01-01; " +
			"HMRC checks them, and those of Northern Ireland begin with XI"}
)

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

// UnmarshalText parses a number like ParseVATNumber.
func (n *VATNumber) UnmarshalText(text []byte) error {
	number, err := ParseVATNumber(string(text))
	if err == nil {
		*n = number
	}
	return err
}

// MarshalText returns the canonical form.
func (n VATNumber) MarshalText() ([]byte, error) { return []byte(n), nil }

// Schema describes the format of a number in a request.
func (VATNumber) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: `^[A-Za-z]{2}[0-9A-Za-z .+*\-]+$`}
}
