package ro

import (
	"bytes"
	"errors"
	"regexp"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// Decimal is an exact decimal number. Exchange rates and amounts of money are Decimals from the registry's text to the
// caller's JSON, without binary floating point in between. The zero value is 0. A Decimal is immutable.
type Decimal struct{ n decimal.Decimal }

var errDecimal = errors.New("a decimal number has digits and at most one point, such as 1234.56")

// ParseDecimal parses an optional minus, digits, and optionally a point and further digits. It rejects everything else:
// plus signs, exponents and separators.
func ParseDecimal(text string) (Decimal, error) {
	whole, fraction, pointed := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	if whole == "" || pointed && fraction == "" || !spelling.OnlyDigits(whole) || !spelling.OnlyDigits(fraction) {
		return Decimal{}, errDecimal
	}

	n, err := decimal.NewFromString(text)
	if err != nil {
		return Decimal{}, errDecimal
	}

	return Decimal{n}, nil
}

// Cents returns an amount of money given in hundredths.
func Cents(n int64) Decimal { return Decimal{decimal.New(n, -2)} }

// Sign returns -1, 0 or +1.
func (d Decimal) Sign() int { return d.n.Sign() }

// Cmp compares two numbers by value and returns -1, 0 or +1.
func (d Decimal) Cmp(e Decimal) int { return d.n.Cmp(e.n) }

// Shift returns the number divided by 10^places.
func (d Decimal) Shift(places int) Decimal { return Decimal{d.n.Shift(-int32(places))} }

// Times returns the exact product.
func (d Decimal) Times(e Decimal) Decimal { return Decimal{d.n.Mul(e.n)} }

// Over returns the quotient, rounded half up (away from zero) to the given number of decimals or of significant digits,
// whichever shows more. The divisor must not be zero.
func (d Decimal) Over(e Decimal, digits int) Decimal {
	wholeDigits := func(n decimal.Decimal) int { return n.NumDigits() + int(n.Exponent()) }
	decimals := digits - wholeDigits(d.n) + wholeDigits(e.n) // enough, or one more than that
	decimals = max(digits, digits-wholeDigits(d.n.DivRound(e.n, int32(decimals))))
	return Decimal{d.n.DivRound(e.n, int32(decimals))}
}

// Round returns the number rounded half up (away from zero) to the given number of decimals.
func (d Decimal) Round(decimals int) Decimal { return Decimal{d.n.Round(int32(decimals))} }

// String returns the shortest plain notation: no exponent, no trailing zeros after the point, no minus before a zero.
func (d Decimal) String() string { return d.n.String() }

// Fixed returns the notation with a fixed number of decimals, such as 19.00.
func (d Decimal) Fixed(decimals int) string { return d.n.StringFixed(int32(decimals)) }

// Padded returns the shortest notation with at least the given number of decimals, such as 5.0900.
func (d Decimal) Padded(decimals int) string {
	text := d.String()
	if _, fraction, _ := strings.Cut(text, "."); len(fraction) < decimals {
		return d.Fixed(decimals)
	}
	return text
}

// MarshalJSON encodes a JSON number.
func (d Decimal) MarshalJSON() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalJSON parses a JSON number without an exponent.
func (d *Decimal) UnmarshalJSON(data []byte) error {
	parsed, err := ParseDecimal(string(bytes.TrimSpace(data)))
	if err == nil {
		*d = parsed
	}
	return err
}

// Schema describes a decimal in an answer.
func (Decimal) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "number"} }

// Amount is a sum of money in a request: a Decimal of at most 15 digits before the point and 10 after it.
type Amount struct{ Decimal }

const (
	amountWhole    = 15
	amountFraction = 10
)

const amountForm = "a decimal number: an optional minus sign, at most 15 digits, and optionally a point and at most 10 " +
	"digits, such as 2500 or -19.99"

// localAmount matches an amount as it is written in Romania, with a comma before the decimals: 99,90, 1.000,50 or
// 1 000,50.
var localAmount = regexp.MustCompile(`^-?(\d+|\d{1,3}([. ]\d{3})+),\d+$`)

// UnmarshalText parses a plain decimal. The error for one with a decimal comma suggests the point.
func (a *Amount) UnmarshalText(text []byte) error {
	d, ok := parseAmount(string(text))
	if ok {
		a.Decimal = d
		return nil
	}

	wrong := &problem.InputError{Code: problem.InvalidFormat, Accepted: amountForm}
	if localAmount.Match(text) {
		meant := strings.NewReplacer(".", "", " ", "", ",", ".").Replace(string(text))
		if _, ok := parseAmount(meant); ok {
			wrong.Suggestion = meant
		}
	}

	return wrong
}

func parseAmount(text string) (Decimal, bool) {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	if len(whole) > amountWhole || len(fraction) > amountFraction {
		return Decimal{}, false
	}

	d, err := ParseDecimal(text)
	return d, err == nil
}

// Schema describes the format of an amount.
func (Amount) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: `^-?\d{1,15}(\.\d{1,10})?$`}
}
