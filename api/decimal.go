package api

import (
	"bytes"
	"errors"
	"math/big"
	"strings"
)

// Decimal is an exact decimal number. Exchange rates and amounts of money are
// Decimals from the registry's text to the caller's JSON: binary floating point
// never touches them. The zero value is 0.
//
// A Decimal is never changed, and may be copied.
type Decimal struct {
	coef  *big.Int // nil is 0
	scale int      // digits after the point: the value is coef / 10^scale
}

var errDecimal = errors.New("a decimal number is digits with at most one point, as 1234.56")

// ParseDecimal reads an optional minus, digits, and optionally a point and
// further digits. Nothing else is a decimal: no plus, exponent, or separator.
func ParseDecimal(text string) (Decimal, error) {
	digits, negative := strings.CutPrefix(text, "-")
	whole, fraction, pointed := strings.Cut(digits, ".")
	if whole == "" || pointed && fraction == "" || !onlyDigits(whole) || !onlyDigits(fraction) {
		return Decimal{}, errDecimal
	}
	coef, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok {
		return Decimal{}, errDecimal
	}
	if negative {
		coef.Neg(coef)
	}
	return Decimal{coef, len(fraction)}, nil
}

func onlyDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// Sign is -1, 0 or +1.
func (d Decimal) Sign() int { return d.int().Sign() }

// Cmp compares two numbers: -1, 0 or +1, whatever their scales.
func (d Decimal) Cmp(e Decimal) int {
	scale := max(d.scale, e.scale)
	return d.at(scale).Cmp(e.at(scale))
}

// Shift is the number divided by 10^places.
func (d Decimal) Shift(places int) Decimal { return Decimal{d.coef, d.scale + places} }

// Times is the exact product.
func (d Decimal) Times(e Decimal) Decimal {
	return Decimal{new(big.Int).Mul(d.int(), e.int()), d.scale + e.scale}
}

// Over is the quotient, rounded half up (away from zero) to the given number of
// decimals. The divisor must not be zero.
func (d Decimal) Over(e Decimal, decimals int) Decimal {
	// d/e = (dc * 10^es) / (ec * 10^ds), wanted times 10^decimals
	num, den := new(big.Int), e.int()
	if shift := e.scale + decimals - d.scale; shift >= 0 {
		num.Mul(d.int(), power10(shift))
	} else {
		num.Set(d.int())
		den = new(big.Int).Mul(den, power10(-shift))
	}
	return Decimal{divideHalfUp(num, den), decimals}
}

// Round is the number rounded half up (away from zero) to the given number of
// decimals.
func (d Decimal) Round(decimals int) Decimal {
	if decimals >= d.scale {
		return d
	}
	return Decimal{divideHalfUp(new(big.Int).Set(d.int()), power10(d.scale-decimals)), decimals}
}

// divideHalfUp divides and rounds; it may overwrite its first argument.
func divideHalfUp(num, den *big.Int) *big.Int {
	sign := int64(num.Sign() * den.Sign())
	quotient, rest := num.QuoRem(num, den, new(big.Int))
	if rest.Lsh(rest, 1).CmpAbs(den) >= 0 {
		quotient.Add(quotient, big.NewInt(sign))
	}
	return quotient
}

var zero big.Int

func (d Decimal) int() *big.Int {
	if d.coef == nil {
		return &zero
	}
	return d.coef
}

// at is the coefficient at a scale that is not below the number's own.
func (d Decimal) at(scale int) *big.Int {
	if scale == d.scale {
		return d.int()
	}
	return new(big.Int).Mul(d.int(), power10(scale-d.scale))
}

// powers are the first powers of ten, which are never changed: enough for an
// amount times a rate.
var powers = makePowers()

func makePowers() (p [40]*big.Int) {
	p[0] = big.NewInt(1)
	for i := 1; i < len(p); i++ {
		p[i] = new(big.Int).Mul(p[i-1], big.NewInt(10))
	}
	return p
}

func power10(n int) *big.Int {
	if n < len(powers) {
		return powers[n]
	}
	return new(big.Int).Exp(powers[1], big.NewInt(int64(n)), nil)
}

// String is the shortest plain notation: no exponent, no trailing zeros after
// the point, no minus before a zero.
func (d Decimal) String() string {
	if d.Sign() == 0 {
		return "0"
	}
	digits := new(big.Int).Abs(d.int()).String()
	if missing := d.scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - d.scale
	text := digits[:point]
	if fraction := strings.TrimRight(digits[point:], "0"); fraction != "" {
		text += "." + fraction
	}
	if d.Sign() < 0 {
		text = "-" + text
	}
	return text
}

// MarshalJSON writes a JSON number.
func (d Decimal) MarshalJSON() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalJSON reads a JSON number without an exponent.
func (d *Decimal) UnmarshalJSON(data []byte) error {
	parsed, err := ParseDecimal(string(bytes.TrimSpace(data)))
	if err == nil {
		*d = parsed
	}
	return err
}

// Schema describes a decimal in an answer.
func (Decimal) Schema() Schema { return Schema{Type: "number"} }

// Amount is a sum of money in a request: a Decimal of at most 15 digits before
// the point and 10 after it.
type Amount struct{ Decimal }

const (
	amountWhole    = 15
	amountFraction = 10
)

var errAmount = &InputError{Code: InvalidFormat, Accepted: "a plain decimal: an optional minus, at most 15 digits, optionally a point and at most 10 digits, as 2500 or -19.99"}

// UnmarshalText reads a plain decimal.
func (a *Amount) UnmarshalText(text []byte) error {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(string(text), "-"), ".")
	if len(whole) > amountWhole || len(fraction) > amountFraction {
		return errAmount
	}
	d, err := ParseDecimal(string(text))
	if err != nil {
		return errAmount
	}
	a.Decimal = d
	return nil
}

// Schema describes the form of an amount.
func (Amount) Schema() Schema { return Schema{Type: "string", Pattern: `^-?\d{1,15}(\.\d{1,10})?$`} }

// Cents is an amount of money given in hundredths.
func Cents(n int64) Decimal { return Decimal{big.NewInt(n), 2} }
