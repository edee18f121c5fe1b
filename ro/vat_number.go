package ro

import (
	"errors"

	"github.com/rodata/rodata/internal/vatid"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// VATNumber is a VAT number of the Union, in its canonical form: DE811569869.
type VATNumber vatid.Number

// UnmarshalText parses a number in any case, with spaces, dots and hyphens, and verifies its format and check digit.
func (n *VATNumber) UnmarshalText(text []byte) error {
	number, err := vatid.Parse(string(text))
	if wrong, ok := errors.AsType[*vatid.Error](err); ok {
		code := problem.InvalidFormat
		if wrong.Kind == vatid.WrongDigit {
			code = problem.CheckDigit
		}
		return &problem.InputError{Code: code, Accepted: wrong.Accepted(), Reason: wrong.Error()}
	}

	*n = VATNumber(number)
	return err
}

// MarshalText returns the canonical form.
func (n VATNumber) MarshalText() ([]byte, error) { return []byte(n), nil }

// Schema describes the format of a number in a request.
func (VATNumber) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: `^[A-Za-z]{2}[0-9A-Za-z .+*\-]+$`}
}

// CUI returns the CUI of a Romanian number, and 0 for any other.
func (n VATNumber) CUI() (c CUI) {
	if vatid.Number(n).State() == "RO" {
		_ = c.UnmarshalText([]byte(vatid.Number(n).National())) // the same rule applies
	}
	return c
}
