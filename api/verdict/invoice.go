package verdict

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

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

// IBAN is the number of an account: a country, two check digits, and letters and digits in upper case, without spaces.
// Its length and check digits may be wrong.
type IBAN string

// maxIBAN is the greatest length of an IBAN of any country (ISO 13616).
const maxIBAN = 34

var ibanForm = regexp.MustCompile(fmt.Sprintf(`^[A-Z]{2}\d{2}[A-Z0-9]{4,%d}$`, maxIBAN-4))

// UnmarshalText parses an IBAN with or without spaces, in any case.
func (i *IBAN) UnmarshalText(text []byte) error {
	*i = IBAN(strings.ToUpper(strings.NewReplacer(" ", "", "-", "", ".", "").Replace(string(text))))
	if !ibanForm.MatchString(string(*i)) {
		return &problem.InputError{Code: problem.InvalidFormat,
			Accepted: "an IBAN: two letters of the country, two digits, and the account in letters and digits, such as " +
				"RO49AAAA1B31007593840000"}
	}

	return nil
}

// Schema describes the form.
func (IBAN) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", MaxLength: 2 * maxIBAN, Pattern: `^ *[A-Za-z]{2}[0-9A-Za-z .\-]+$`}
}
