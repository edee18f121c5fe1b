package verdict

import (
	"errors"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// Amount is the amount of an invoice or payment in RON, more than 0; the zero value is one that was not sent.
type Amount struct{ ro.Amount }

// UnmarshalText parses a positive decimal.
func (a *Amount) UnmarshalText(text []byte) error {
	const accepted = "an amount of more than 0 RON, with a point before the decimals, such as 2500 or 19.99"
	err := a.Amount.UnmarshalText(text)
	if wrong, ok := errors.AsType[*problem.InputError](err); ok {
		wrong.Accepted = accepted
	}
	if err != nil || a.Sign() > 0 {
		return err
	}

	return &problem.InputError{Code: problem.OutOfRange, Accepted: accepted}
}

// Schema describes the format of an amount.
func (Amount) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: `^\d{1,15}(\.\d{1,10})?$`}
}

// Payment is how an invoice is paid.
type Payment string

// The ways of payment.
const (
	Bank Payment = "bank"
	Cash Payment = "cash"
)

// UnmarshalText parses one of the ways.
func (p *Payment) UnmarshalText(text []byte) (err error) {
	*p, err = op.OneOf(text, Bank, Cash)
	return err
}

// Schema lists the ways.
func (Payment) Schema() jsonschema.Schema { return jsonschema.Enum(Bank, Cash) }

// Name is the supplier's name on an invoice.
type Name string

const maxName = 200

// UnmarshalText checks the length.
func (n *Name) UnmarshalText(text []byte) (err error) {
	*n, err = op.BoundedText[Name](text, 1, maxName)
	return err
}

// Schema describes the length.
func (Name) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", MinLength: 1, MaxLength: maxName}
}

// Address is the supplier's address on an invoice, on one line.
type Address string

const maxAddress = 300

// UnmarshalText checks the length.
func (a *Address) UnmarshalText(text []byte) (err error) {
	*a, err = op.BoundedText[Address](text, 1, maxAddress)
	return err
}

// Schema describes the length.
func (Address) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", MinLength: 1, MaxLength: maxAddress}
}
